import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '../core/errors.ts';
import type { ParameterEntry } from '../invoke/parameterEntry.ts';
import { contentType, refuseCoding, utf8Text } from './jsonBody.ts';
import { parseJsonParameters } from './jsonParameters.ts';
import { parseUrlEncoded } from './queryString.ts';

const bodyTypes = ['application/json', 'application/x-www-form-urlencoded'] as const;

/**
 * The parameters of a call, from its URL and its body. A name that is repeated in one of them has a list of values. A
 * name may not occur in both (contract, section 1, "the same parameter twice").
 */
export function callParameters(
  rawQuery: string,
  headers: IncomingHttpHeaders,
  body: Buffer,
): readonly ParameterEntry[] {
  const inUrl = grouped(parseUrlEncoded(rawQuery, 'query string'));
  const inBody = grouped(bodyParameters(headers, body));
  const names = new Set(inUrl.map(([name]) => name));
  const both = inBody.flatMap(([name]) => (names.has(name) ? [name.slice(0, 64)] : [])).slice(0, 10);
  if (both.length > 0) {
    throw new ServiceError(
      'parameter.duplicate',
      `Each parameter can be given in the URL or in the body, not in both. Given in both: ${both.join(', ')}.`,
      { errors: both.map((parameter) => ({ parameter })) },
    );
  }
  return [...inUrl, ...inBody];
}

/** One entry for each name, in the order of first occurrence. */
function grouped(entries: readonly ParameterEntry[]): readonly ParameterEntry[] {
  const byName = new Map<string, ParameterEntry>();
  for (const entry of entries) {
    const [name, value] = entry;
    const first = byName.get(name);
    if (first === undefined) byName.set(name, entry);
    else {
      const texts = [...(first[2]?.texts ?? [first[1]]), value];
      byName.set(name, [name, first[1], { form: 'repeated', texts }]);
    }
  }
  return [...byName.values()];
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
