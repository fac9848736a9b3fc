import { ServiceError } from '../core/errors.ts';

/** Translates refusals of the framework to our catalogue; undefined for other errors. Its own texts are never shown. */
export function fastifyRefusal(error: unknown): ServiceError | undefined {
  switch (codeOf(error)) {
    case 'FST_ERR_BAD_URL':
      return new ServiceError(
        'request.malformed',
        'The path is not percent-encoded UTF-8. Write a literal percent sign as %25.',
      );
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new ServiceError('route.unknown', 'A segment of the path is longer than any name can be.');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ServiceError('request.unsupported_media_type', 'The Content-Type must have the form type/subtype.');
    default:
      return undefined;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error && !(error instanceof ServiceError) ? error.code : undefined;
}
