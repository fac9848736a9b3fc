import { ServiceError } from '../core/errors.ts';

/** What the framework's own refusals mean in our catalogue; undefined for anything else. Its texts are never shown. */
export function fastifyRefusal(error: unknown): ServiceError | undefined {
  switch (codeOf(error)) {
    case 'FST_ERR_BAD_URL':
      return new ServiceError(
        'request.malformed',
        'The path is not percent-encoded UTF-8. Write a percent sign itself as %25.',
      );
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new ServiceError('route.unknown', 'A part of the path is longer than any name here can be.');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ServiceError('request.unsupported_media_type', 'The Content-Type is not of the form type/subtype.');
    default:
      return undefined;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error && !(error instanceof ServiceError) ? error.code : undefined;
}
