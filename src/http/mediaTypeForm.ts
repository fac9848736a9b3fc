import type { FastifyRequest } from 'fastify';

/** RFC 9110, section 8.3.1, without what follows the first semicolon. */
const mediaType = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;

/**
 * Keeps a Content-Type that is empty, or of no such form, from the framework, which refuses it without knowing what a
 * route takes. The route reads it from the request as it came, and says what it takes itself.
 */
export function hideMalformedType(request: FastifyRequest): void {
  const header = request.raw.headers['content-type'];
  if (header !== undefined && !mediaType.test(header)) request.headers = { 'content-type': undefined };
}
