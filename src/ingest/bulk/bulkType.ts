import { ServiceError } from '../../core/errors.ts';

/** The types that clients of Elasticsearch send. Those of `vnd.elasticsearch` have a parameter with its version. */
const types: ReadonlySet<string> = new Set([
  'application/x-ndjson',
  'application/json',
  'application/vnd.elasticsearch+x-ndjson',
  'application/vnd.elasticsearch+json',
]);

/** @throws ServiceError `request.unsupported_media_type` for any other type. */
export function requireBulkType(contentType: string | undefined): void {
  const [essence = ''] = (contentType ?? '').split(';');
  const given = essence.trim().toLowerCase();
  if (given === '' || types.has(given)) return;
  const shown = given.slice(0, 100);
  throw new ServiceError(
    'request.unsupported_media_type',
    `The Content-Type ${JSON.stringify(shown)} is not a type of a _bulk request; send one of ${[...types].join(', ')}.`,
    { errors: [{ value: shown, allowed: [...types] }] },
  );
}
