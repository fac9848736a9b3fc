import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '../core/errors.ts';
import type { ParameterEntry } from '../invoke/parameterEntry.ts';
import { contentType, refuseCoding, utf8Text } from './jsonBody.ts';
import { parseJsonParameters } from './jsonParameters.ts';
import { parseUrlEncoded } from './queryString.ts';

const bodyTypes = ['application/json', 'application/x-www-form-urlencoded'] as const;

/**
 * The parameters of a call, from its URL and its body. Each name may occur only once in both together (contract,
 * section 1, "the same parameter twice").
 */
export function callParameters(
  rawQuery: string,
  headers: IncomingHttpHeaders,
  body: Buffer,
): readonly ParameterEntry[] {
  const entries = [...parseUrlEncoded(rawQuery, 'query string'), ...bodyParameters(headers, body)];
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const [name] of entries) {
    if (seen.has(name)) repeated.add(name);
    seen.add(name);
  }
  if (repeated.size > 0) {
    const names = [...repeated].slice(0, 10).map((name) => name.slice(0, 64));
    throw new ServiceError(
      'parameter.duplicate',
      `Each parameter can be given once, in the URL or in the body. Given more than once: ${names.join(', ')}.`,
      {
        errors: names.map((parameter) => ({ parameter })),
      },
    );
  }
  return entries;
}

function bodyParameters(headers: IncomingHttpHeaders, body: Buffer): readonly ParameterEntry[] {
  if (body.length === 0) return [];
  refuseCoding(headers);
  const { type, charset } = contentType(headers['content-type'] ?? '');
  if (charset !== 'utf-8' && charset !== 'utf8') {
    throw new ServiceError('request.unsupported_media_type', 'The body must be UTF-8.', {
      errors: [{ value: charset.slice(0, 64), allowed: ['utf-8'] }],
    });
  }
  if (type === 'application/json') return parseJsonParameters(utf8Text(body));
  if (type === 'application/x-www-form-urlencoded') return parseUrlEncoded(body.toString('latin1'), 'form body');
  const given = type === '' ? 'no Content-Type' : `the Content-Type ${type.slice(0, 64)}`;
  throw new ServiceError(
    'request.unsupported_media_type',
    `The body has ${given}; allowed: ${bodyTypes.join(' or ')}.`,
    {
      errors: [{ ...(type === '' ? {} : { value: type.slice(0, 64) }), allowed: bodyTypes }],
    },
  );
}
