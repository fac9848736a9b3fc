import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { functionCatalogue } from '../../../googlesql/functions/catalogue.ts';
import { FLOAT64, STRING } from '../../../googlesql/types.ts';
import type { EmitContext } from './emitContext.ts';
import { aggregateAndWindowEmitters, emitFunction, scalarEmitters } from './emitters.ts';
import { openCaseDatabase, selectScalar } from './functionCases.contract.ts';

const testTexts = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => readFileSync(`${import.meta.dirname}/${file}`, 'utf8'))
  .join('\n');

describe('emitters', () => {
  test('every function of the catalogue has its emitter, of its kind', () => {
    for (const { name, kind } of functionCatalogue.values()) {
      const table: object = kind === 'scalar' ? scalarEmitters : aggregateAndWindowEmitters;
      expect(Object.hasOwn(table, name), name).toBe(true);
    }
    expect(Object.keys(scalarEmitters).length + Object.keys(aggregateAndWindowEmitters).length).toBe(
      functionCatalogue.size,
    );
  });

  /** Tried as whole queries (clock.test.ts). */
  const ofTheClock = ['current_timestamp', 'current_datetime', 'current_date', 'current_time'];

  test('every function is tested on the engine', () => {
    const untested = [...functionCatalogue.keys()].filter((name) => !testTexts.includes(`['${name}', [`));
    expect(untested.filter((name) => !ofTheClock.includes(name))).toEqual(['grouping', 'rand', 'generate_uuid']);
  });

  const contextFor = (types: EmitContext['argTypes'], returns: EmitContext['returns']): EmitContext => ({
    argTypes: types,
    returns,
    constants: [],
    fail: (sentence) => `error('${sentence}')`,
    failWith: (sentence) => `error(${sentence})`,
    safe: false,
  });

  test('GROUPING tells the rows of a ROLLUP that sum over a key', async () => {
    const run = await openCaseDatabase();
    const grouping = emitFunction('grouping', ['x'], contextFor([STRING], { kind: 'INT64' }));
    const rows = await run(
      `SELECT x, ${grouping}, count(*) FROM (VALUES ('a'), ('a'), ('b')) AS t(x) GROUP BY ROLLUP(x) ORDER BY x NULLS LAST`,
    );
    expect(rows.map((row) => row.map(String))).toEqual([
      ['a', '0', '2'],
      ['b', '0', '1'],
      ['null', '1', '3'],
    ]);
  });

  test('random numbers lie from 0 up to 1, identifiers are UUIDs', async () => {
    const run = await openCaseDatabase();
    const number = Number((await run(selectScalar('rand', [], 'literals')))[0]?.[0]);
    expect(number).toBeGreaterThanOrEqual(0);
    expect(number).toBeLessThan(1);
    const uuid = (await run(selectScalar('generate_uuid', [], 'literals')))[0]?.[0];
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test.each([
    ['$div', FLOAT64, (inner: string) => ['x', inner]],
    ['pow', FLOAT64, (inner: string) => [inner, inner.length > 200 ? 'y' : inner]],
    ['greatest', FLOAT64, (inner: string) => [inner, 'x', 'y']],
    ['replace', STRING, (inner: string) => [inner, 'x', 'y']],
    ['regexp_replace', STRING, (inner: string) => [inner, 'x', 'y']],
  ] as const)('the text of nested %s grows in step with its depth', async (name, type, argsOf) => {
    const nest = (depth: number): string => {
      let text = 'x';
      for (let i = 0; i < depth; i++) {
        const args = argsOf(text);
        const emitted = emitFunction(
          name,
          args,
          contextFor(
            args.map(() => type),
            type,
          ),
        );
        if (typeof emitted !== 'string') throw new Error('a function of one row is plain SQL');
        text = emitted;
      }
      return text;
    };
    const growth = nest(60).length - nest(50).length;
    expect(growth).toBeLessThan(nest(40).length - nest(30).length + 100);
    expect(nest(60).length).toBeLessThan(100_000);
    const run = await openCaseDatabase();
    const [x, y] = type === FLOAT64 ? ['CAST(1 AS DOUBLE)', 'CAST(1 AS DOUBLE)'] : ["'a'", "'b'"];
    expect(await run(`SELECT ${nest(20)} IS NOT NULL FROM (SELECT ${x} AS x, ${y} AS y)`)).toEqual([[true]]);
  });

  test('an argument that differs at every evaluation is evaluated once', () => {
    const text = emitFunction('round', ['random()', 'n'], contextFor([FLOAT64, { kind: 'INT64' }], FLOAT64));
    expect(String(text).match(/random\(\)/g)).toHaveLength(1);
  });
});
