import type { FastifyRequest } from 'fastify';

/** RFC 9110, section 8.3.1, without parameters. */
const mediaType = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;

/**
 * Hides an empty or malformed Content-Type from the framework, which would refuse it without knowing which types the
 * route accepts. The route reads the header from the raw request and names the types that it accepts.
 */
export function hideMalformedType(request: FastifyRequest): void {
  const header = request.raw.headers['content-type'];
  if (header !== undefined && !mediaType.test(header)) request.headers = { 'content-type': undefined };
}
