import { ServiceError } from '../../core/errors.ts';

/** The two encodings of OTLP over HTTP. */
export type OtlpFormat = 'otlp_protobuf' | 'otlp_json';

const formats: ReadonlyMap<string, OtlpFormat> = new Map([
  ['application/x-protobuf', 'otlp_protobuf'],
  ['application/json', 'otlp_json'],
]);

/** The Content-Type of an encoding, for requests and answers. */
export function otlpContentType(format: OtlpFormat): string {
  return format === 'otlp_json' ? 'application/json' : 'application/x-protobuf';
}

/** The encoding of an OTLP request; undefined if its Content-Type names neither. */
export function findOtlpFormat(contentType: string | undefined): OtlpFormat | undefined {
  const [essence = ''] = (contentType ?? '').split(';');
  return formats.get(essence.trim().toLowerCase());
}

/** @throws ServiceError `request.unsupported_media_type` if the Content-Type names neither encoding. */
export function otlpFormat(contentType: string | undefined): OtlpFormat {
  const format = findOtlpFormat(contentType);
  if (format !== undefined) return format;
  const allowed = [...formats.keys()];
  const given = (contentType ?? '').slice(0, 100);
  throw new ServiceError(
    'request.unsupported_media_type',
    `The Content-Type ${JSON.stringify(given)} is not an OTLP type; send one of ${allowed.join(', ')}.`,
    { errors: [{ value: given, allowed }] },
  );
}
