import { hash } from 'node:crypto';
import type { Pause } from '../core/concurrency/turns.ts';
import { encodeResult, formatColumns, type ParquetUse } from '../formats/encodeResult.ts';
import { type ChosenFormat, type FormatColumn, resultFormat } from '../formats/resultFormat.ts';
import { type ShapeInput, wholeMeta, writtenNotice } from './answerBody.ts';
import { guardedNotice } from './guardedNotice.ts';
import { noticesHeader } from './noticesHeader.ts';

type Headers = Readonly<Record<string, string>>;

export interface FormattedBody {
  readonly body: Buffer;
  readonly headers: Headers;
}

export const jsonHeaders: Headers = { 'content-type': resultFormat('json').mediaType };

export interface FormattedInput {
  readonly format: ChosenFormat;
  readonly shape: Omit<ShapeInput, 'requestId'>;
  /** The rows that the caller may see. */
  readonly rows: Uint8Array;
  readonly requestId: string;
}

/** The body of a 200 in any format except `json`, with headers for what the format has no place for. */
export async function formattedBody(
  { format, shape, rows, requestId }: FormattedInput,
  pause: Pause,
  hold: (bytes: number) => void,
  parquet?: ParquetUse,
): Promise<FormattedBody> {
  const query = { ...shape.query, columns: formatColumns(format, shape.query.columns) };
  let guardedCells = 0;
  const guarded = (cells: number): void => {
    guardedCells = cells;
  };
  const body = await encodeResult(
    {
      endpointName: shape.endpoint.name,
      columns: columnsOf(query),
      rows,
      rowCount: shape.result.rowCount,
      asOfMicros: shape.cache.asOfMicros,
      meta: wholeMeta({ ...shape, query, requestId }),
      remarks: remarksOf(shape),
    },
    format,
    pause,
    { hold, guarded },
    parquet,
  );
  const notices = [...shape.notices, ...guardedNotice(guardedCells)];
  return { body, headers: headersOf(format, { ...shape, notices }) };
}

export function columnsOf({ columns }: ShapeInput['query']): readonly FormatColumn[] {
  return columns.map(({ name, column }) => ({ name, type: column.type }));
}

function headersOf(format: ChosenFormat, shape: FormattedInput['shape']): Headers {
  const { result, truncatedBy, links } = shape;
  return {
    ...headersOfBeginning(format, shape),
    'x-row-count': String(result.rowCount),
    'x-truncated': truncatedBy ?? 'false',
    ...(links?.next == null ? {} : { 'x-next-cursor': links.next }),
    ...(links?.prev == null ? {} : { 'x-prev-cursor': links.prev }),
  };
}

/** The headers of an answer that are known before its rows. */
export function headersOfBeginning(
  format: ChosenFormat,
  { endpoint, notices, cache }: Pick<FormattedInput['shape'], 'endpoint' | 'notices' | 'cache'>,
): Headers {
  const { mediaType, extension } = resultFormat(format.name);
  return {
    'content-type': mediaType,
    ...(notices.length === 0 ? {} : { 'x-notices': noticesHeader(notices.map(writtenNotice)) }),
    ...(extension === null
      ? {}
      : {
          'content-disposition': `attachment; filename="${exportFileName(endpoint.name, cache.asOfMicros)}.${extension}"`,
        }),
  };
}

/** Such as `logs.all-20260501T1000Z`: the endpoint, and when its query ran. */
export function exportFileName(endpointName: string, asOfMicros: number): string {
  const minute = new Date(asOfMicros / 1000).toISOString().slice(0, 16).replaceAll(/[-:]/g, '');
  return `${endpointName.replaceAll(/[^\w.-]/g, '_')}-${minute}Z`;
}

function remarksOf({ result, truncatedBy, notices }: FormattedInput['shape']): readonly string[] {
  const rows = `${result.rowCount} ${result.rowCount === 1 ? 'row' : 'rows'}`;
  return [
    truncatedBy === null ? `${rows}.` : `${rows}; there are more (${truncatedBy}).`,
    ...notices.map(({ code, message }) => `${code}: ${message}`),
  ];
}

/**
 * What the entity tag of an answer says besides the rows. Formats other than `json` also show names and types of columns,
 * and `prometheus` chooses rows by the time of the run.
 */
export function formatTag(format: ChosenFormat, { query, cache }: FormattedInput['shape']): string {
  if (format.name === 'json') return '';
  const columns = hash('sha256', JSON.stringify(columnsOf(query)), 'base64url').slice(0, 8);
  const options = `${format.isGuarded ? '.guard' : ''}${format.hasMark ? '.bom' : ''}`;
  const time = format.name === 'prometheus' ? `.${cache.asOfMicros}` : '';
  return `.${format.name}${options}.${columns}${time}`;
}
