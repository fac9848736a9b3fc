import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SqlType } from '../../../googlesql/types.ts';
import { emitFunction } from './emitters.ts';
import {
  array,
  bytes,
  type CaseArgument,
  contextOf,
  d,
  interval,
  json,
  literal,
  matchCall,
  nothing,
  nul,
  openCaseDatabase,
  struct,
  ts,
} from './functionCases.contract.ts';

const verbs = [...'dixXofFeEgGstTp'];
const width = fc.constantFrom('', '', '1', '4', '9', '12', '30', '*');
const precision = fc.constantFrom('', '', '', '.', '.0', '.1', '.3', '.17', '.25', '.007', '.*');
const flags = fc.array(fc.constantFrom(...'-+ 0#', "'"), { maxLength: 3 }).map((each) => each.join(''));

const whole = fc
  .oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.bigInt({ min: -2000n, max: 2000n }),
    fc.constantFrom(0n, -(2n ** 63n), 2n ** 63n - 1n),
  )
  .map((value) => literal('INT64', value));
const double = fc.oneof(
  fc.double(),
  fc.double({ min: -1e6, max: 1e6 }),
  fc.integer({ min: -4000, max: 4000 }).map((eighths) => eighths / 8),
  fc.constantFrom(0, -0, 5e-324, 1.7976931348623157e308, 2 ** 53, -(2 ** 53) - 2, 1e22, 99999.95, 1e-5),
);
const number = double.map((value) => literal('FLOAT64', value));
const text = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.constantFrom('', 'a"b', "it's", 'é😀x', '%d', '!', '=', 'a\n\t\\'),
  )
  .filter((value) => !value.includes('\u0000'))
  .map((value) => literal('STRING', value));
const nested: SqlType = { kind: 'FLOAT64', isNested: true };
const jsonValue = fc
  .oneof(
    fc.constantFrom(
      '5',
      '-1.5',
      '1e3',
      '"GET"',
      '"17"',
      'true',
      '{"a":[1,null,"x"]}',
      '[]',
      '""',
      '"é\\"q"',
      '9007199254740993',
    ),
    fc.json({ maxDepth: 1 }).filter((value) => !value.includes('\\u0000')),
  )
  .map(json);
const other = fc.constantFrom<CaseArgument>(
  ts('2026-05-01 10:20:30.5'),
  d('2026-05-01'),
  interval('1 year 2 days'),
  literal('BOOL', true),
  bytes('00ff6122'),
  array('STRING', ['a', null, 'b"c']),
  array('FLOAT64', [1, 2.5, null]),
  struct([
    ['a', literal('INT64', 1n)],
    ['b', literal('STRING', 'x')],
  ]),
  nothing,
  nul('STRING'),
  nul('INT64'),
  nul('FLOAT64'),
  nul('JSON'),
  nul('DATE'),
);
const nestedNumber = fc
  .constantFrom('3.0', '2.5', '1e300', "'nan'", 'NULL')
  .map((sql): CaseArgument => ({ kind: 'value', type: nested, sql: `CAST(${sql} AS DOUBLE)` }));
const anything = fc.oneof(whole, number, text, jsonValue, other, nestedNumber);

const fittingTo = (verb: string): fc.Arbitrary<CaseArgument> => {
  if ('dixXo'.includes(verb)) return fc.oneof(whole, whole, jsonValue, nestedNumber);
  if ('fFeEgG'.includes(verb)) return fc.oneof(number, number, number, jsonValue, nestedNumber);
  if (verb === 's') return fc.oneof(text, text, jsonValue);
  return verb === 'p' ? jsonValue : anything;
};

const star = fc.integer({ min: -15, max: 30 }).map((value) => literal('INT64', BigInt(value)));

interface Piece {
  readonly text: string;
  readonly values: readonly CaseArgument[];
}

const specifier: fc.Arbitrary<Piece> = fc.tuple(flags, width, precision, fc.constantFrom(...verbs)).chain((parts) => {
  const stars = parts.join('').split('*').length - 1;
  return fc
    .tuple(fc.array(star, { minLength: stars, maxLength: stars }), fittingTo(parts[3]))
    .map(([before, value]) => ({ text: `%${parts.join('')}`, values: [...before, value] }));
});
const words: fc.Arbitrary<Piece> = fc
  .constantFrom('', ' ', 'a', '%%', 'é😀', ': ', '{}', '!')
  .map((each) => ({ text: each, values: [] }));
/** What is wrong on purpose: a verb that is not known, a value too many, one of any type. */
const wrong: fc.Arbitrary<Piece> = fc.oneof(
  fc.constantFrom('%q', '%', '%5', '%.', '%lld', '%99999d', '%.10001f').map((each) => ({ text: each, values: [] })),
  anything.map((value) => ({ text: '', values: [value] })),
  fc.tuple(fc.constantFrom(...verbs), anything).map(([verb, value]) => ({ text: `%${verb}`, values: [value] })),
  fc.tuple(fc.constantFrom('%*d', '%.*f'), anything, whole).map(([each, ...values]) => ({ text: each, values })),
);
const format = fc
  .array(
    fc.oneof({ weight: 6, arbitrary: specifier }, { weight: 4, arbitrary: words }, { weight: 1, arbitrary: wrong }),
    {
      maxLength: 4,
    },
  )
  .map((pieces) => ({
    text: pieces.map((piece) => piece.text).join(''),
    values: pieces.flatMap((piece) => piece.values),
  }));

describe('FORMAT with a format of each row', () => {
  let run: Awaited<ReturnType<typeof openCaseDatabase>>;
  beforeAll(async () => {
    run = await openCaseDatabase();
  });

  /** `known`: which arguments the emitter knows. All stand in columns, as values of rows do. */
  async function answer(args: readonly CaseArgument[], known: (i: number) => boolean, safe = false): Promise<unknown> {
    const matched = matchCall('format', args);
    const context = contextOf(matched, args, true, { safe });
    const columns = args.map((arg, i) => `${arg.kind === 'value' ? arg.sql : 'NULL'} AS c${i}`);
    const call = emitFunction(
      'format',
      args.map((arg, i) => (arg.kind === 'value' && arg.type.kind === 'NULL' ? 'NULL' : `c${i}`)),
      { ...context, constants: context.constants.map((value, i) => (known(i) ? value : undefined)) },
    );
    const sql = `SELECT ${typeof call === 'string' ? call : call.call} FROM (SELECT ${columns.join(', ')}) AS given`;
    return await run(sql).then(
      (rows) => rows[0]?.[0],
      (error: unknown) => ({ error: String(error).replace(/^.*logmill:1:1:/s, '') }),
    );
  }

  /** A format of rows is not shown by an error, save for its verb. */
  const unquoted = (said: unknown): unknown =>
    typeof said === 'object' && said !== null && 'error' in said
      ? {
          error: String(said.error)
            .replace(/^The specifier .{0,20} of FORMAT/s, 'A specifier of FORMAT')
            .replace(/%[-+ 0#'*.\d]+([a-zA-Z])/g, '%$1'),
        }
      : said;

  it('answers what it answers for a constant format', async () => {
    await fc.assert(
      fc.asyncProperty(format, async ({ text: written, values }) => {
        const args = [literal('STRING', written), ...values];
        const constant = unquoted(await answer(args, () => true));
        expect(await answer(args, () => false)).toEqual(constant);
        if (written.includes('*')) expect(unquoted(await answer(args, (i) => i === 0))).toEqual(constant);
        const isError = typeof constant === 'object' && constant !== null;
        expect(await answer(args, () => false, true)).toEqual(isError ? null : constant);
      }),
      { numRuns: 400 },
    );
  });
});
