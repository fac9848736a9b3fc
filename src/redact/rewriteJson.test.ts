import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonRewrite, rewriteJson } from './rewriteJson.ts';

const nothing: JsonRewrite = { kindOf: () => undefined, string: () => undefined };
const marking: JsonRewrite = {
  kindOf: (name) => (name === 'secret' ? 'key' : undefined),
  string: (content, personal) => (personal !== undefined || content === 'find me' ? '***' : undefined),
};

describe('JSON is rewritten in place', () => {
  it('keeps every byte if nothing is replaced', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(rewriteJson(text, nothing)).toBe(text);
      }),
    );
  });

  it.each([
    ['strings anywhere', '{"a":["find me", 1.50 ]}', '{"a":["***", 1.50 ]}'],
    ['strings written with escapes', String.raw`["find\u0020me","\ud83d\ude00"]`, String.raw`["***","\ud83d\ude00"]`],
    [
      'everything below a personal member',
      '{"secret":{"a":["x",{"b":-1e2}]},"c":1}',
      '{"secret":{"a":["***",{"b":null}]},"c":1}',
    ],
    ['numbers, not booleans and null', '{"secret":[1,true,false,null]}', '{"secret":[null,true,false,null]}'],
    ['each of two members of one name', '{"secret":"a","secret":"b"}', '{"secret":"***","secret":"***"}'],
  ])('replaces %s', (_title, text, expected) => {
    expect(rewriteJson(text, marking)).toBe(expected);
  });

  it.each(['', '{', '[1,]', '{"a":1', '01', '"a', '"\n"', 'nul', '{"a" 1}', '1 2', "{'a':1}", String.raw`"\x"`])(
    'refuses %j, which is not JSON',
    (text) => {
      expect(rewriteJson(text, marking)).toBeUndefined();
    },
  );

  it('refuses nesting that the stack could not hold', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(rewriteJson(nested(900), nothing)).toBe(nested(900));
    expect(rewriteJson(nested(100_000), nothing)).toBeUndefined();
  });
});
