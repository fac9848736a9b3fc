import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../core/errors.ts';
import { parseUrlEncoded, rawQueryOf } from './queryString.ts';
import { splitUrlToken } from './urlToken.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((each) => !/\p{Surrogate}/u.test(each));

/** The entries as JSON, or the code of the refusal. */
function outcomeOf(latin1: string): string {
  try {
    return JSON.stringify(parseUrlEncoded(latin1, 'query string'));
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
}

describe('parseUrlEncoded', () => {
  it('reads what URLSearchParams writes, in order and with repetitions', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { maxLength: 10 }), (entries) => {
        const written = new URLSearchParams(entries).toString();
        expect(parseUrlEncoded(written, 'query string')).toEqual(entries);
      }),
    );
  });

  it('reads any text as URLSearchParams does, or refuses it', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '=', '&', '+', '%', '4', '1', 'C', '3', 'é'), maxLength: 12 }),
        (raw) => {
          const latin1 = Buffer.from(raw).toString('latin1');
          const read = [...new URLSearchParams(raw)];
          expect(outcomeOf(latin1)).toBeOneOf(['request.malformed', JSON.stringify(read)]);
        },
      ),
    );
  });

  it.each(['%', '%4', '%zz', 'a=%ff', 'a=%c3', 'a=%ed%a0%80', 'a=%c0%af', 'a=\xff', '%ff=1'])('refuses %j', (raw) => {
    expect(() => parseUrlEncoded(raw, 'query string')).toThrow(ServiceError);
  });
});

describe('rawQueryOf', () => {
  it.each([
    ['/a', ''],
    ['/a?', ''],
    ['/a?b=c?d', 'b=c?d'],
  ])('%s has the query %j', (target, query) => {
    expect(rawQueryOf(target)).toBe(query);
  });
});

describe('splitUrlToken', () => {
  it('removes the token anywhere, and keeps the rest unchanged', () => {
    expect(splitUrlToken('/q?a=%41&api_key=t%31&b=', true)).toEqual({ rawQuery: 'a=%41&b=', token: 't1' });
  });

  it('gets no valid token from two', () => {
    expect(splitUrlToken('/q?api_key=t&api_key=t', true).token).toBe('t,t');
  });

  it('keeps the parameter if tokens in URLs are disabled', () => {
    expect(splitUrlToken('/q?api_key=t', false)).toEqual({ rawQuery: 'api_key=t', token: undefined });
  });
});
