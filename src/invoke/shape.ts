import type { CacheOutcome } from '../cache/resultCache.ts';
import type { QueryResult } from '../engines/ports/queryEngine.ts';
import type { Notice, ResolvedQuery } from '../googlesql/resolve/tree.ts';
import { typeName } from '../googlesql/types.ts';
import { formatMicros } from './formatMicros.ts';
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
  readonly requestId: string;
}

const beginning = '{"result":[';

/** The body of a 200 as UTF-8 JSON (contract, section 1, "Success"). The rows are copied as they are, never parsed. */
export function shapeAnswer(input: ShapeInput): Buffer {
  const { rows } = input.result;
  const end = `],"meta":{"endpoint":${endpointText(input)},"columns":${columnsText(input.query)},${JSON.stringify(metaOf(input)).slice(1)}}`;
  const body = Buffer.allocUnsafe(beginning.length + rows.byteLength + Buffer.byteLength(end));
  body.write(beginning);
  body.set(rows, beginning.length);
  body.write(end, beginning.length + rows.byteLength);
  return body;
}

function endpointText({ endpoint: { id, name, version } }: ShapeInput): string {
  return JSON.stringify({ id, name, version });
}

/** They are the same in every answer of a query, and most of what is said of it. */
const columnsTexts = new WeakMap<ShapeInput['query']['columns'], string>();

function columnsText({ columns }: ShapeInput['query']): string {
  const known = columnsTexts.get(columns);
  if (known !== undefined) return known;
  const text = JSON.stringify(columns.map(({ name, column }) => ({ name, type: typeName(column.type) })));
  columnsTexts.set(columns, text);
  return text;
}

/** What follows endpoint and columns. */
function metaOf({ result, truncatedBy, notices, cache, redaction, requestId }: ShapeInput): object {
  return {
    row_count: result.rowCount,
    truncated: truncatedBy !== null,
    ...(truncatedBy === null ? {} : { truncated_by: truncatedBy }),
    notices: notices.map(writtenNotice),
    cache: { outcome: cache.outcome, as_of: formatMicros(cache.asOfMicros) },
    redaction,
    query: {
      elapsed_ms: thousandths(result.elapsedMs),
      ...(result.rowsScanned === null ? {} : { rows_scanned: result.rowsScanned }),
    },
    request_id: requestId,
  };
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

/** Tells that rows older than the definition allows were given because they could not be renewed. */
export function staleNotice(cache: { readonly outcome: CacheOutcome; readonly ageSeconds: number }): readonly Notice[] {
  if (cache.outcome !== 'stale') return [];
  return [
    {
      code: 'cache.stale',
      message: `The query could not be run again, so the rows are ${cache.ageSeconds} seconds old, older than this endpoint normally gives.`,
    },
  ];
}
