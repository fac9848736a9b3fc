import type { CacheOutcome } from '../cache/cacheEntry.ts';
import { copyInTurns } from '../core/concurrency/copyInTurns.ts';
import type { Pause } from '../core/concurrency/turns.ts';
import type { Notice, ResolvedQuery } from '../googlesql/resolve/tree.ts';
import { typeName } from '../googlesql/types.ts';
import type { QueryResult } from '../ports/queryEngine.ts';
import { dataBeginsOf } from './dataBeginsNotice.ts';
import { formatMicros } from './formatMicros.ts';
import type { PageLinks } from './pages/pages.ts';
import type { RedactionReport } from './redaction.ts';
import type { TruncatedBy } from './rowLimit.ts';
import { thousandths } from './stageTimes.ts';

export interface ShapeInput {
  readonly endpoint: { readonly id: string; readonly name: string; readonly version: number };
  readonly query: Pick<ResolvedQuery, 'columns'>;
  readonly result: QueryResult;
  readonly truncatedBy: TruncatedBy | null;
  readonly notices: readonly Notice[];
  readonly cache: { readonly outcome: CacheOutcome; readonly asOfMicros: number };
  readonly redaction: RedactionReport;
  /** Cursors of the pages around this one; absent if the call did not ask for pages. */
  readonly links?: PageLinks;
  readonly requestId: string;
}

const beginning = '{"result":[';

/** Builds the body of a 200 as UTF-8 JSON (contract, section 1, "Success"). Copies the rows without parsing them. */
export function shapeAnswer(input: ShapeInput): Buffer {
  return bodyOf(input.result.rows, shapeMeta(input), bodyEnd(input.requestId));
}

/** Builds the JSON between the rows and the request ID. Only the request ID differs between two hits of one call. */
export function shapeMeta(input: Omit<ShapeInput, 'requestId'>): Buffer {
  return Buffer.from(`],"meta":${openMeta(input)}`);
}

/** The JSON between the rows and the time of an unchanged answer, and between that and the request ID. */
export interface MetaAroundTime {
  readonly before: Buffer;
  readonly after: string;
}

/** Builds what all unchanged answers of one call share. Null if `after` is too long, or not ASCII, for the end of a body. */
export function metaAroundTime(input: Omit<ShapeInput, 'requestId'>): MetaAroundTime | null {
  const after = metaAfterTime(input);
  if (!/^[ -~]{0,10000}$/.test(after)) return null;
  return { before: Buffer.from(`],"meta":${metaBeforeTime(input)}`), after };
}

/** The member `meta` of a body as JSON. */
export function wholeMeta({ requestId, ...input }: ShapeInput): string {
  return `${openMeta(input)}${JSON.stringify(requestId)}}`;
}

/** What is known of an answer before its rows: `meta` without their number, as JSON. */
export function beginningMeta(
  input: Pick<ShapeInput, 'endpoint' | 'query' | 'notices' | 'cache' | 'requestId'> & {
    readonly beginning: Pick<QueryResult, 'dataBegins'>;
    readonly isRedacted: boolean;
  },
): string {
  const { beginning, notices, cache, isRedacted, requestId } = input;
  const rest = JSON.stringify({
    ...dataBeginsOf(beginning.dataBegins),
    notices: notices.map(writtenNotice),
    cache: { outcome: cache.outcome, as_of: formatMicros(cache.asOfMicros) },
    redaction: { applied: isRedacted },
    request_id: requestId,
  }).slice(1);
  return `{"endpoint":${endpointText(input)},"columns":${columnsText(input.query)},${rest}`;
}

/** `meta` without its end. */
function openMeta(input: Omit<ShapeInput, 'requestId'>): string {
  return `${metaBeforeTime(input)}${formatMicros(input.cache.asOfMicros)}${metaAfterTime(input)}`;
}

function metaBeforeTime(input: Omit<ShapeInput, 'requestId'>): string {
  const meta = JSON.stringify(metaOf(input)).slice(1, -1);
  const cache = `"cache":{"outcome":"${input.cache.outcome}","as_of":"`;
  return `{"endpoint":${endpointText(input)},"columns":${columnsText(input.query)},${meta},${cache}`;
}

/** Builds the body from rows, the output of `shapeMeta`, and an end in ASCII (`bodyEnd`). */
export function bodyOf(rows: Uint8Array, meta: Uint8Array, end: string): Buffer {
  const body = bodyAround(rows, meta, end);
  body.set(rows, beginning.length);
  return body;
}

/** Like `bodyOf`, for any number of bytes. */
export async function bodyInTurns(rows: Uint8Array, meta: Uint8Array, end: string, pause: Pause): Promise<Buffer> {
  const body = bodyAround(rows, meta, end);
  await copyInTurns(rows, body, beginning.length, pause);
  return body;
}

/** Allocates the body with room for the rows. */
function bodyAround(rows: Uint8Array, meta: Uint8Array, end: string): Buffer {
  const metaAt = beginning.length + rows.byteLength;
  const endAt = metaAt + meta.byteLength;
  const body = Buffer.allocUnsafe(endAt + end.length);
  body.write(beginning, 'latin1');
  body.set(meta, metaAt);
  body.write(end, endAt, 'latin1');
  return body;
}

/** The end of a body, which differs in every answer. Request IDs are ASCII without quotes (`http/requestId.ts`). */
export function bodyEnd(requestId: string): string {
  return `"${requestId}"}}`;
}

/** Size of the body that `bodyOf` builds. */
export function bodyBytes(rows: Uint8Array, meta: Uint8Array, end: string): number {
  return beginning.length + rows.byteLength + meta.byteLength + end.length;
}

function endpointText({ endpoint: { id, name, version } }: Pick<ShapeInput, 'endpoint'>): string {
  return JSON.stringify({ id, name, version });
}

/** The columns as JSON. They are the same in every answer of a query, and most of its metadata. */
const columnsTexts = new WeakMap<ShapeInput['query']['columns'], string>();

function columnsText({ columns }: ShapeInput['query']): string {
  const known = columnsTexts.get(columns);
  if (known !== undefined) return known;
  const text = JSON.stringify(columns.map(({ name, column }) => ({ name, type: typeName(column.type) })));
  columnsTexts.set(columns, text);
  return text;
}

/** The members of `meta` between columns and `cache`. */
function metaOf({ result, truncatedBy, notices, links }: Omit<ShapeInput, 'requestId'>): object {
  return {
    row_count: result.rowCount,
    truncated: truncatedBy !== null,
    ...(truncatedBy === null ? {} : { truncated_by: truncatedBy }),
    ...(links === undefined ? {} : { next: links.next, prev: links.prev }),
    ...dataBeginsOf(result.dataBegins),
    notices: notices.map(writtenNotice),
  };
}

/** `meta` from the end of `cache` to the request ID. */
function metaAfterTime({ result, redaction }: Pick<ShapeInput, 'result' | 'redaction'>): string {
  const query = {
    elapsed_ms: thousandths(result.elapsedMs),
    ...(result.rowsScanned === null ? {} : { rows_scanned: result.rowsScanned }),
  };
  return `"},${JSON.stringify({ redaction, query }).slice(1, -1)},"request_id":`;
}

/** A notice as `meta.notices` shows it. */
export function writtenNotice({ code, message, parameter, line, column }: Notice): Notice {
  return {
    code,
    message,
    ...(parameter === undefined ? {} : { parameter }),
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
  };
}

/** The notice that the rows are older than the definition allows because they could not be refreshed. */
export function staleNotice(cache: { readonly outcome: CacheOutcome; readonly ageSeconds: number }): readonly Notice[] {
  if (cache.outcome !== 'stale') return [];
  return [
    {
      code: 'cache.stale',
      message: `The query could not be run again, so the rows are ${cache.ageSeconds} ${cache.ageSeconds === 1 ? 'second' : 'seconds'} old, which is older than this endpoint normally allows.`,
    },
  ];
}
