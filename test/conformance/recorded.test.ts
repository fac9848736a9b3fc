import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/core/errors.ts';
import { functionCatalogue } from '../../src/googlesql/functions/catalogue.ts';
import { typeName } from '../../src/googlesql/types.ts';
import { onEngine } from '../support/enginesUnderTest.ts';
import { calledFunctions } from './calledFunctions.ts';
import { ConformanceStore } from './conformanceStore.ts';
import { openDifferences, queryDeviations } from './deviations.ts';
import { isOrdered } from './isOrdered.ts';
import { families, queriesOf, type SuiteQuery } from './queryFiles.ts';
import { type Recording, recordingsOf } from './recordings.ts';
import { canonical, cellsOf } from './sameAnswer.ts';

const suite = families.map((family) => ({ family, queries: queriesOf(family), recorded: recordingsOf(family) }));
const all = suite.flatMap(({ queries }) => queries);

/** Those that read log tables, whose answers could depend on how events are stored. */
const readsLogs = ({ sql }: SuiteQuery): boolean => /\b(?:edge|auth|function|function_edge)_logs\b/.test(sql);

describe(onEngine('the suite'), () => {
  it('has at least 450 queries, each of a name of its own', () => {
    expect(all.length).toBeGreaterThanOrEqual(450);
    const names = all.map(({ family, name }) => `${family}/${name}`);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it('has an answer to every query, recorded for the text as it is, and none that is empty', () => {
    const problems = suite.flatMap(({ queries, recorded }) =>
      queries.flatMap((query) => {
        const name = `${query.family}/${query.name}`;
        if (query.byHand !== null) return query.byHand.rows.length === 0 ? [`${name}: its answer is empty`] : [];
        const recording = recorded[query.name];
        if (recording?.reference !== query.reference) return [`${name}: run npm run conformance:record`];
        if (query.fails) return recording.error === undefined ? [`${name}: the evaluator answers it`] : [];
        if (recording.error !== undefined) return [`${name}: ${recording.error}`];
        return (recording.rows ?? []).length === 0 ? [`${name}: its answer is empty`] : [];
      }),
    );
    expect(problems).toEqual([]);
  });

  it('keeps no recording of a query that is gone', () => {
    const gone = suite.flatMap(({ family, queries, recorded }) =>
      Object.keys(recorded)
        .filter((name) => !queries.some((query) => query.name === name && query.byHand === null))
        .map((name) => `${family}/${name}`),
    );
    expect(gone).toEqual([]);
  });

  it('lists no deviation of a query that is gone', () => {
    const names = new Set(all.map(({ family, name }) => `${family}/${name}`));
    expect([...queryDeviations.keys(), ...openDifferences.keys()].filter((name) => !names.has(name))).toEqual([]);
  });
});

const variants = [
  { title: 'sealed file, members in typed columns', withHotColumns: true, isSealed: true, runs: () => true },
  { title: 'active file, members in typed columns', withHotColumns: true, isSealed: false, runs: readsLogs },
  { title: 'sealed file, members read from metadata', withHotColumns: false, isSealed: true, runs: readsLogs },
  { title: 'active file, members read from metadata', withHotColumns: false, isSealed: false, runs: readsLogs },
];

describe.each(variants)(onEngine('recorded queries: $title'), ({ withHotColumns, isSealed, runs }) => {
  let store: ConformanceStore;
  beforeAll(async () => {
    store = await ConformanceStore.open({ withHotColumns, isSealed });
  });
  afterAll(async () => {
    await store.close();
  });

  for (const { family, queries, recorded } of suite.filter(({ queries }) => queries.some(runs))) {
    describe(family, () => {
      for (const query of queries.filter(runs)) {
        const known = `${family}/${query.name}`;
        const deviation = queryDeviations.get(known) ?? openDifferences.get(known);
        if (deviation === undefined) it(query.name, () => check(store, query, recorded[query.name]));
        else {
          it(`${query.name} differs: ${deviation}`, async () => {
            await expect(check(store, query, recorded[query.name])).rejects.toThrow();
          });
        }
      }
    });
  }

  if (runs !== readsLogs) {
    it('calls every function and operator of the catalogue', () => {
      const called = new Set(all.flatMap(({ sql }) => [...calledFunctions(sql, store.compile(sql))]));
      expect([...functionCatalogue.keys()].filter((name) => !called.has(name))).toEqual([]);
    });
  }
});

async function check(store: ConformanceStore, query: SuiteQuery, recording: Recording | undefined): Promise<void> {
  if (query.fails) {
    const failure = await store.run(query.sql).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ServiceError);
    expect((failure as ServiceError).code).toBe('sql.data');
    return;
  }
  const answer = await store.run(query.sql);
  const types = answer.columns.map(({ column }) => typeName(column.type));
  const recordedColumns = query.byHand === null ? (recording?.columns ?? []) : null;
  const recordedTypes = recordedColumns?.map(({ type }) => type) ?? types;
  if (recordedColumns !== null) {
    expect(answer.columns.map(({ name }) => name)).toEqual(
      recordedColumns.map(({ name }) => (name === '' ? expect.stringMatching(/^f\d+_$/) : name)),
    );
    expect(types.map((type) => looseType(query, type))).toEqual(recordedTypes.map((type) => looseType(query, type)));
  }
  const digits = query.isApproximate ? 12 : null;
  const asText = (row: readonly unknown[]): string =>
    row.map((value, i) => canonical(value, types[i] ?? '', recordedTypes[i] ?? '', digits)).join(' | ');
  const got = answer.exactRows().map((row) => asText(cellsOf(row)));
  const want = (query.byHand?.rows ?? recording?.rows ?? []).map(asText);
  if (isOrdered(query.sql)) expect(got).toEqual(want);
  else expect(got.sort()).toEqual(want.sort());
}

/**
 * A bare NULL, and an array of them, has a type of its own here. Nested values have no fixed type
 * (googlesql.md, section 2): what is read from logs is JSON, and FLOAT64 once it was computed with.
 */
function looseType(query: SuiteQuery, type: string): string {
  if (type === 'NULL') return 'INT64';
  if (!readsLogs(query)) return type;
  return /\b(?:JSON|STRUCT|STRING|INT64|FLOAT64)\b/.test(type) ? 'nested' : type;
}
