import { describe, expect, test } from 'vitest';
import { findFunction, functionCatalogue, nearestFunction, operatorFunction, refusalOf } from './catalogue.ts';
import { readSignature } from './declare.ts';
import { refusedFunctions } from './refused.ts';

describe('the catalogue of functions', () => {
  test('names are lower case and stand once', () => {
    for (const [name, declaration] of functionCatalogue) {
      expect(declaration.name).toBe(name);
      expect(name).toMatch(/^\$?[a-z][a-z0-9_]*(\.[a-z_]+)?$/);
    }
  });

  test.each([...functionCatalogue.values()].map((f) => [f.name, f] as const))(
    '%s is documented with a meaning, an example and signatures',
    (_name, declaration) => {
      expect(declaration.meaning).toMatch(/^\S.*[.?]$/);
      expect(declaration.example).toMatch(/^SELECT /);
      expect(declaration.signatures.length).toBeGreaterThan(0);
      for (const { args } of declaration.signatures) {
        const optional = args.findIndex((arg) => arg.optional === true);
        if (optional !== -1) expect(args.slice(optional).every((arg) => arg.optional === true)).toBe(true);
        const repeated = args.findIndex((arg) => arg.repeated === true);
        if (repeated !== -1) expect(args.slice(repeated).every((arg) => arg.repeated === true)).toBe(true);
      }
    },
  );

  test('the example of a function calls it', () => {
    for (const { name, example } of functionCatalogue.values()) {
      if (!name.startsWith('$')) expect(example.toLowerCase()).toContain(`${name}(`);
    }
  });

  test('functions are found in any case, operators never by a name that a caller writes', () => {
    expect(findFunction('COUNT')?.name).toBe('count');
    expect(findFunction('Net.Host')?.name).toBe('net.host');
    expect(findFunction('$add')).toBeUndefined();
    expect(findFunction('read_csv')).toBeUndefined();
    expect(findFunction('constructor')).toBeUndefined();
    expect(operatorFunction('$add').name).toBe('$add');
  });

  test('a slip of the hand is answered with the nearest name, never with an operator', () => {
    expect(nearestFunction('timestamp_truc')).toBe('timestamp_trunc');
    expect(nearestFunction('$ad') ?? '').not.toMatch(/^\$/);
  });

  test('what is refused by name is no function', () => {
    for (const name of refusedFunctions.keys()) expect(findFunction(name)).toBeUndefined();
    expect(refusalOf('NET.REG_DOMAIN')).toMatch(/NET\.HOST/);
  });
});

describe('readSignature', () => {
  test('reads optional, repeated and constant arguments, parts and nested types', () => {
    expect(readSignature('a ARRAY<STRUCT<value T, count INT64>>, b?! STRING => T')).toEqual({
      args: [
        {
          name: 'a',
          type: {
            arrayOf: {
              structOf: [
                { name: 'value', type: 'T' },
                { name: 'count', type: 'INT64' },
              ],
            },
          },
        },
        { name: 'b', type: 'STRING', optional: true, constant: true },
      ],
      returns: 'T',
    });
    expect(readSignature('part PART.asDate, x* DATE => DATE').args).toEqual([
      { name: 'part', type: 'PART', parts: ['date'] },
      { name: 'x', type: 'DATE', repeated: true },
    ]);
    expect(readSignature(' => INT64')).toEqual({ args: [], returns: 'INT64' });
  });

  test.each(['x INT64', 'x NUMERIC => INT64', 'x PART.nothing => DATE', 'INT64 => INT64'])('refuses %s', (text) => {
    expect(() => readSignature(text)).toThrow();
  });
});
