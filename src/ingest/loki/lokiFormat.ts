import { ServiceError } from '../../core/errors.ts';

/** The two encodings of a push. Protobuf is always compressed with Snappy. */
export type LokiFormat = 'loki_protobuf' | 'loki_json';

const formats: ReadonlyMap<string, LokiFormat> = new Map([
  ['application/x-protobuf', 'loki_protobuf'],
  ['application/json', 'loki_json'],
]);

/**
 * The encoding of a push: protobuf if there is no Content-Type, as for Loki.
 *
 * @throws ServiceError `request.unsupported_media_type` if the Content-Type names neither encoding.
 */
export function lokiFormat(contentType: string | undefined): LokiFormat {
  const [essence = ''] = (contentType ?? '').split(';');
  const given = essence.trim().toLowerCase();
  const format = given === '' ? 'loki_protobuf' : formats.get(given);
  if (format !== undefined) return format;
  const allowed = [...formats.keys()];
  const shown = given.slice(0, 100);
  throw new ServiceError(
    'request.unsupported_media_type',
    `The Content-Type ${JSON.stringify(shown)} is not a type of Loki; send one of ${allowed.join(', ')}.`,
    { errors: [{ value: shown, allowed }] },
  );
}
