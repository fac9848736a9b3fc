import { ServiceError } from '../core/errors.ts';

/** `json`: any number of consecutive JSON values; `ndjson`: one event per line. */
export type BodyFormat = 'json' | 'ndjson';

const formats: ReadonlyMap<string, BodyFormat> = new Map([
  ['application/json', 'json'],
  ['application/x-ndjson', 'ndjson'],
  ['application/jsonl', 'ndjson'],
]);

const charsets: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii', 'ascii']);

/**
 * Returns the format of a body from its Content-Type (streams.md, row "bodies"); JSON if there is none.
 *
 * @throws ServiceError `request.unsupported_media_type` for every other type, and for a charset other than UTF-8.
 */
export function bodyFormat(contentType: string | undefined): BodyFormat {
  if (contentType === undefined || contentType.trim() === '') return 'json';
  const [essence = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  const format = formats.get(essence);
  if (format === undefined) {
    throw new ServiceError(
      'request.unsupported_media_type',
      `The Content-Type ${JSON.stringify(essence.slice(0, 100))} is not supported; send one of ${[...formats.keys()].join(', ')}.`,
      { errors: [{ value: essence.slice(0, 100), allowed: [...formats.keys()] }] },
    );
  }
  for (const parameter of parameters) {
    const charset = /^charset\s*=\s*"?([^"]*)"?$/.exec(parameter)?.[1]?.trim();
    if (charset === undefined || charsets.has(charset)) continue;
    throw new ServiceError(
      'request.unsupported_media_type',
      `The charset ${JSON.stringify(charset.slice(0, 100))} is not supported; send UTF-8.`,
      { errors: [{ value: charset.slice(0, 100), allowed: ['utf-8'] }] },
    );
  }
  return format;
}
