import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonSyntaxError } from './jsonSyntaxError.ts';
import { type JsonObject, type JsonValue, memberNames, newJsonObject, setMember } from './jsonValue.ts';
import { parseJson, parseJsonInSteps, parseJsonSequence, parseJsonSequenceInSteps } from './losslessJson.ts';
import { hasOnlyFiniteNumbers, writeJson } from './writeJson.ts';

function syntaxErrorOf(read: () => unknown): JsonSyntaxError {
  try {
    read();
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
  throw new Error('expected a JsonSyntaxError');
}

const last = <T>(steps: Generator<unknown, T>): T => {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
};

/** Forces the exact reader where the native parser would do. */
const exactly = (text: string): JsonValue => parseJson(text, { duplicateKeys: 'error' });

const integer64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n });
const asRead = (value: bigint): JsonValue => (Number.isSafeInteger(Number(value)) ? Number(value) : value);

/** A double as it comes back: without the sign of zero, and exact where its digits are those of an integer of 64 bits. */
const asWritten = (number: number): JsonValue => {
  if (number === 0) return 0;
  const isWideInteger = Number.isInteger(number) && !Number.isSafeInteger(number);
  return isWideInteger && number >= -(2 ** 63) && number < 2 ** 64 ? BigInt(JSON.stringify(number)) : number;
};

const { document } = fc.letrec<{ document: JsonValue }>((tie) => ({
  document: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, true, false),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(asWritten),
    integer64.map(asRead),
    fc.string({ unit: 'binary' }),
    fc.array(tie('document'), { maxLength: 5 }),
    fc
      .array(
        fc.tuple(
          fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', '2', '10', '1', 'constructor')),
          tie('document'),
        ),
        {
          maxLength: 5,
        },
      )
      .map((members) => {
        const object = newJsonObject();
        for (const [name, value] of members) setMember(object, name, value);
        return object;
      }),
  ),
}));

describe('written JSON parses to the same value', () => {
  test('for any value, including integers of 64 bits, and is written the same again', () => {
    fc.assert(
      fc.property(document, (value) => {
        const text = writeJson(value);
        const read = parseJson(text);
        expect(read).toEqual(value);
        expect(writeJson(read)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  test('the exact reader and JSON.parse agree on every text that JSON.parse reads without loss', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), (text) => {
        fc.pre(!/\d{16}/.test(text));
        const native = JSON.parse(text) as JsonValue;
        expect(exactly(text)).toEqual(native);
        expect(parseJson(text)).toEqual(native);
      }),
      { numRuns: 500 },
    );
  });

  test('the exact reader refuses exactly the texts that JSON.parse refuses', () => {
    const alphabet = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      'a',
      '"a"',
      '1',
      '-',
      '.',
      'e',
      '0',
      'true',
      'null',
      ' ',
      '\n',
      '\u0001',
      '\\u00e9',
      '+',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...alphabet), { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        let native: { readonly value: JsonValue } | undefined;
        try {
          native = { value: JSON.parse(text) as JsonValue };
        } catch {
          native = undefined;
        }
        if (native === undefined) expect(() => parseJson(text)).toThrow(JsonSyntaxError);
        else expect(parseJson(`[${text},12345678901234567890]`)).toEqual([native.value, 12345678901234567890n]);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('integers keep every digit', () => {
  test.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['18446744073709551615', 18446744073709551615n],
    ['18446744073709551616', 18446744073709552000],
    ['-9223372036854775809', -(2 ** 63)],
    ['-3175846391112287', -3175846391112287],
    ['1749549723418000123', 1749549723418000123n],
    ['1.0', 1],
    ['1e2', 100],
    ['-0', -0],
    ['0.1', 0.1],
    ['1.7976931348623157e308', Number.MAX_VALUE],
  ])('%s', (text, value) => {
    expect(parseJson(text)).toBe(value);
    expect(parseJson(`[${text}]`)).toEqual([value]);
    expect(parseJson(` {"a": ${text} }`)).toEqual({ a: value });
  });

  test('any integer of 64 bits, at any place', () => {
    fc.assert(
      fc.property(
        integer64,
        fc.constantFrom(['[', ']'], ['{"a":', '}'], ['[1, ', ' ,2]'], ['{"a":\n\t', '\n}']),
        (value, [before, after]) => {
          const text = `${before}${value}${after}`;
          expect(writeJson(parseJson(text)).includes(value.toString())).toBe(true);
        },
      ),
    );
  });

  test('a number too large for a double is infinite and can be detected', () => {
    for (const text of ['[1e400]', '[-1e400]', '[1.5E+999]', `[1${'0'.repeat(400)}]`, '[0.001e0400]']) {
      const value = parseJson(text);
      expect(hasOnlyFiniteNumbers(value)).toBe(false);
      expect(() => writeJson(value)).toThrow(RangeError);
    }
    expect(hasOnlyFiniteNumbers(parseJson('{"a":[1,{"b":1e308}],"c":12345678901234567890}'))).toBe(true);
  });
});

describe('members', () => {
  test('the last of several members with the same name counts, at the place of the first', () => {
    expect(writeJson(parseJson('{"a":1,"b":2,"a":3}'))).toBe('{"a":3,"b":2}');
    expect(writeJson(parseJson('{"a":1,"7":2,"a":3,"n":12345678901234567890}'))).toBe(
      '{"a":3,"7":2,"n":12345678901234567890}',
    );
  });

  test('two members with the same name are an error if they are not allowed', () => {
    const error = syntaxErrorOf(() => parseJson('{"a":1,\n "b":{"c":1,"c":2}}', { duplicateKeys: 'error' }));
    expect(error.problem).toBe('duplicate_key');
    expect([error.line, error.column]).toEqual([2, 13]);
    expect(() => parseJson('{"__proto__":1,"__proto__":2}', { duplicateKeys: 'error' })).toThrow(/twice/);
    expect(() => parseJson('{"a":1,"\\u0061":2}', { duplicateKeys: 'error' })).toThrow(/twice/);
  });

  test('names that look like numbers keep their place', () => {
    const text = '{"b":1,"10":2,"2":3,"a":{"1":0,"0":0}}';
    expect(writeJson(parseJson(text))).toBe(text);
    expect(memberNames(parseJson('{"b":1,"10":2}') as { b: number })).toEqual(['b', '10']);
  });

  test.each(['', ',"n":12345678901234567890'])('__proto__ is an ordinary name (%s)', (rest) => {
    const text = `{"__proto__":{"polluted":true},"constructor":1${rest}}`;
    const value = parseJson(text);
    expect(writeJson(value)).toBe(text);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('text', () => {
  test.each([
    ['"\\ud800"', '\ufffd'],
    ['"\\udc00x"', '\ufffdx'],
    ['"\\ud83d\\ude00"', '😀'],
    ['"\\uD83D\\u0041"', '\ufffdA'],
    ['"\\ude00\\ud83d"', '\ufffd\ufffd'],
    ['"\ud800"', '\ufffd'],
    ['"a\\u0000b"', 'a\u0000b'],
    ['"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9"', '"\\/\b\f\n\r\té'],
  ])('%s', (text, value) => {
    expect(parseJson(text)).toBe(value);
    expect(parseJson(`{${text}:${text}}`)).toEqual({ [value]: value });
  });

  test('a lone surrogate in a name becomes U+FFFD as well', () => {
    expect(parseJson('{"\\ud800":1}')).toEqual({ '\ufffd': 1 });
  });
});

describe('nesting', () => {
  const nested = (depth: number, open = '[', close = ']') => `${open.repeat(depth)}1${close.repeat(depth)}`;

  test.each([
    ['[', ']'],
    ['{"a":', '}'],
    ['[12345678901234567890,', ']'],
    ['{"7":', '}'],
  ])('is allowed up to the limit and refused beyond it, with the place (%s)', (open, close) => {
    expect(() => parseJson(nested(200, open, close))).not.toThrow();
    const error = syntaxErrorOf(() => parseJson(nested(201, open, close)));
    expect(error.problem).toBe('depth');
    expect([error.line, error.column]).toEqual([1, 200 * open.length + 1]);
  });

  test('never overflows the stack or fills the memory', () => {
    expect(syntaxErrorOf(() => parseJson('['.repeat(8_000_000))).problem).toBe('depth');
    expect(syntaxErrorOf(() => parseJson(nested(1_000_000, '{"a":', '}'))).problem).toBe('depth');
  });
});

describe('errors have the place', () => {
  test.each([
    ['', 1, 1, 'expected a JSON value, found the end of the text'],
    ['{"a":1', 1, 7, "expected ',' or '}', found the end of the text"],
    ['{"a":1,}', 1, 8, "expected a member name in double quotes, found '}'"],
    ['{"a" 1}', 1, 6, "expected ':', found '1'"],
    ['[1,\n 2,\n x]', 3, 2, "expected a JSON value, found 'x'"],
    ['[1 2]', 1, 4, "expected ',' or ']', found '2'"],
    ['"é😀" x', 1, 6, "expected the end of the text, found 'x'"],
    ['"abc', 1, 5, 'the text ends inside a string'],
    ['"a\nb"', 1, 3, 'a string has an unescaped control character'],
    ['"a\\x"', 1, 3, 'an escape in a string is not one of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX'],
    ['"\\u12g4"', 1, 2, 'an escape in a string is not one of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX'],
    ['[01]', 1, 2, 'a number has a leading zero'],
    ['[-]', 1, 3, "expected a digit, found ']'"],
    ['[1.]', 1, 4, "expected a digit, found ']'"],
    ['[1e+]', 1, 5, "expected a digit, found ']'"],
    ['[NaN]', 1, 2, "expected a JSON value, found 'N'"],
    ['\ufeff1', 1, 1, "expected a JSON value, found '\ufeff'"],
  ])('%j', (text, line, column, reason) => {
    const error = syntaxErrorOf(() => parseJson(text));
    expect([error.line, error.column, error.reason]).toEqual([line, column, reason]);
    expect(error.problem).toBe('syntax');
  });
});

test('an error at the end of a long line is located without splitting the line', () => {
  const error = syntaxErrorOf(() => parseJson(`\n["${'é😀'.repeat(1_000_000)}"`));
  expect([error.line, error.column]).toEqual([2, 2_000_004]);
});

describe('several values one after another', () => {
  test.each([
    ['', []],
    [' \n ', []],
    ['{"a":1}', [{ a: 1 }]],
    ['{"a":1}{"b":2}', [{ a: 1 }, { b: 2 }]],
    ['{"a":1}\n{"b":12345678901234567890}\r\n', [{ a: 1 }, { b: 12345678901234567890n }]],
    ['[1][2] 3 "x"null', [[1], [2], 3, 'x', null]],
  ])('%j', (text, values) => {
    expect(parseJsonSequence(text)).toEqual(values);
  });

  test('an error in a later value has its place in the whole text', () => {
    const error = syntaxErrorOf(() => parseJsonSequence('{"a":1}\n{"b":}'));
    expect([error.line, error.column]).toEqual([2, 6]);
  });
});

describe('reading in steps', () => {
  const outcome = <T>(read: () => T) => {
    try {
      return { read: read() };
    } catch (error) {
      if (error instanceof JsonSyntaxError) return { message: error.message };
      throw error;
    }
  };
  const piece = fc.oneof(
    fc.json(),
    fc.constantFrom('[', ']', ',', ':', '"a"', '[]', '[1,2]', '{"a":[1]}', '{"b":{"2":[],"1":{}}}', '1e999', ' '),
    fc.constantFrom('12345678901234567890', '{"a":[12345678901234567890]}'),
    fc.constantFrom(
      '"😀"',
      String.raw`"a\ud83d\ude00\ud83d\ude00"`,
      String.raw`"\ud83d\ud83d😀\ude00"`,
      String.raw`"\ude00b"`,
    ),
  );

  test('returns the same values or error as reading at once', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), fc.constantFrom(0, 1, 3, 1000), (parts, stepChars) => {
        const text = parts.join('');
        expect(outcome(() => last(parseJsonInSteps(text, stepChars)))).toEqual(outcome(() => parseJson(text)));
        const atOnce = outcome(() => parseJsonSequence(text));
        expect(outcome(() => last(parseJsonSequenceInSteps(text, stepChars)))).toEqual(atOnce);
      }),
      { numRuns: 2000 },
    );
  });

  test('stops within a value, however deep, and after every value of several', () => {
    const text = '[1, [2,3] ,{"a":[12345678901234567]}]5[6]';
    expect([...parseJsonSequenceInSteps(text, 1000)]).toEqual([37, 38, 41]);
    expect([...parseJsonSequenceInSteps(text, 1)]).toEqual([3, 7, 11, 37, 38, 41]);
    expect([...parseJsonSequenceInSteps(text, 8)]).toEqual([11, 37, 38, 41]);
  });

  test('stops more often in an object of many members, if their number is limited', () => {
    const object = `{${Array.from({ length: 10_000 }, (_, n) => `"${n}":1`).join(',')}}`;
    const steps = [...parseJsonInSteps(object, 10_000, { membersMax: 20_000 })];
    expect(steps.length).toBeGreaterThan((5 * object.length) / 10_000);
  });

  test('finds the place of an error in steps', () => {
    for (const part of ['\n', '1 ', '"é", ']) {
      const text = `[${part.repeat(20_000)}!`;
      const stops: number[] = [];
      const read = () => {
        for (const stop of parseJsonSequenceInSteps(text, 1000)) stops.push(stop);
      };
      expect(syntaxErrorOf(read)).toEqual(syntaxErrorOf(() => parseJsonSequence(text)));
    }
    const text = `[${'\n'.repeat(20_000)}!`;
    const stops: number[] = [];
    expect(() => {
      for (const stop of parseJsonSequenceInSteps(text, 1000)) stops.push(stop);
    }).toThrow("found '!' at line 20001, column 1");
    expect(stops.length).toBeGreaterThan(38);
  });

  test('stops about as often in white space, wherever it is', () => {
    const space = ' \n\r\t'.repeat(10_000);
    const tokens = [
      '',
      '{',
      '"2"',
      ':',
      '[',
      '12345678901234567',
      ',',
      '{',
      '}',
      ',',
      '2',
      ']',
      ',',
      '"b"',
      ':',
      '3',
      '}',
      '',
    ];
    for (let at = 1; at < tokens.length; at++) {
      const text = [...tokens.slice(0, at), space, ...tokens.slice(at)].join('');
      const options = { duplicateKeys: 'error' } as const;
      const readings = [
        parseJsonInSteps(text, 5_000, options),
        parseJsonSequenceInSteps(text, 5_000, Number.POSITIVE_INFINITY, options),
      ];
      for (const reading of readings) {
        const stops = [0, ...reading, text.length];
        const longest = Math.max(...stops.slice(1).map((stop, i) => stop - (stops[i] ?? 0)));
        expect([at, longest < 5_100]).toEqual([at, true]);
      }
    }
  });

  test('stops about as often in a value of any form', () => {
    const forms = ['[],', '{},', '{"a":1},', '"x",', '12345678901234567,', '[[[{"a":[]}]]],', ' 1 ,'];
    for (const form of forms) {
      const text = `{"2":{"a":[${form.repeat(40_000)}12345678901234567]}}`;
      const stops = [0, ...parseJsonInSteps(text, 10_000), text.length];
      const longest = Math.max(...stops.slice(1).map((stop, i) => stop - (stops[i] ?? 0)));
      expect([form, longest < 10_100]).toEqual([form, true]);
    }
  });
});

test.each([
  ['1e21', '1e21'],
  ['-15E+299', '-1.5e300'],
  ['1000000000000000000000', '1e21'],
  ['999999999999999900000', '999999999999999900000'],
  ['1e-7', '1e-7'],
])('%s is written %s, also when nested', (text, written) => {
  expect(writeJson(parseJson(text))).toBe(written);
  const around = (number: string) => `{"e+":["1e+21",${number},{"a":${number}}]}`;
  expect(writeJson(parseJson(around(text)))).toBe(around(written));
});

describe('a value from JSON.parse', () => {
  test('is checked in its own turn, and parsed again in steps if something is missing', () => {
    const plain = `{"a":[${'{"bcdef":1},'.repeat(10_000)}1]}`;
    expect([...parseJsonInSteps(plain, 10_000)]).toEqual([plain.length]);
    const lossy = `{"a":[${'{"bcdef":1},'.repeat(10_000)}12345678901234567]}`;
    const [first, ...again] = parseJsonInSteps(lossy, 10_000);
    expect(first).toBe(lossy.length);
    // Each object counts for more than its 11 characters.
    expect(again).toHaveLength(20);
  });
});

describe('an object with too many members', () => {
  const read = (text: string) => last(parseJsonSequenceInSteps(text, 10, 10, { membersMax: 3 }));
  /** What JSON.parse would not read rightly, so that our own reader has to. */
  const large = 12345678901234567n;

  test('keeps the first ones, with any names, and the text after it is parsed normally', () => {
    const text = `{"a":${large},"__proto__":[{"1":1,"2":2,"3":3,"4":4}],"0":{},"d":[],"e":{"f":"]"}} [1]`;
    const kept = { a: large, 0: {} };
    Object.defineProperty(kept, '__proto__', { value: [{ 1: 1, 2: 2, 3: 3 }], enumerable: true });
    expect(read(text)).toEqual([kept, [1]]);
  });

  test('counts distinct names: the last value of a name counts, even after names that are left out', () => {
    expect(read(`{"a":${large},"a":2,"b":3,"a":4,"c":5,"d":6,"b":7}`)).toEqual([{ a: 4, b: 7, c: 5 }]);
  });

  test('does not hide later syntax errors', () => {
    expect(() => read(`{"a":${large},"b":1,"c":2,"d":3,"e":nul}`)).toThrow("expected a JSON value, found 'n'");
  });
});

describe('nothing is lost, however late in the text JSON.parse would lose it', () => {
  const filler = `"${'x'.repeat(40_000)}"`;
  test.each([
    ['an integer of 64 bits', '{"n":9223372036854775807}'],
    ['a negative one', '[-9223372036854775808]'],
    ['one that a double comes close to', '[9007199254740993]'],
    ['members named like indices', '{"b":1,"2":2,"1":3}'],
    ['a lone surrogate', '"a\\ud800b"'],
    ['a number beyond all doubles', '[1e999,-1e999]'],
    ['a member given twice', '{"a":12345678901234567890,"b":1,"a":2}'],
  ])('%s', (_, text) => {
    const [, value] = parseJson(`[${filler},${text}]`) as readonly JsonValue[];
    expect(value).toEqual(exactlyOrSecond(text));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      expect(memberNames(value as JsonObject)).toEqual(memberNames(exactlyOrSecond(text) as JsonObject));
    }
  });

  test('nesting beyond the limit is refused', () => {
    const deep = `${'['.repeat(200)}${']'.repeat(200)}`;
    expect(syntaxErrorOf(() => parseJson(`[${filler},${deep}]`)).problem).toBe('depth');
    expect(parseJson(`[${filler},${deep.slice(1, -1)}]`)).toHaveLength(2);
  });
});

/** By the exact reader alone, to which every text with a number at its start goes. */
function exactlyOrSecond(text: string): JsonValue | undefined {
  return parseJsonSequence(`1 ${text}`)[1];
}
