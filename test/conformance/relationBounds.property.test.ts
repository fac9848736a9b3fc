import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SeededRandom } from '../../src/demo/seededRandom.ts';
import { compileStored } from '../../src/googlesql/compile.ts';
import { QueryPlanner } from '../../src/googlesql/plan/queryPlan.ts';
import type { QueryEngine, RunRequest } from '../../src/ports/queryEngine.ts';
import type { StorageHarness } from '../../src/ports/storageHarness.contract.ts';
import { shapeOf } from '../../src/sources/shape.ts';
import type { Source } from '../../src/sources/source.ts';
import { engineUnderTest, never, onEngine } from '../support/enginesUnderTest.ts';
import { RelationQueries } from './relationQueries.ts';

const queriesOfProject = 120;

const nowMicros = Date.UTC(2026, 4, 3, 12, 34, 56) * 1000;
const turns = ['2026-01-01T00:00:00Z', '2026-03-29T01:00:00Z', '2026-04-30T22:00:00Z', '2026-05-01T00:00:00Z'].map(
  (text) => Date.parse(text) * 1000,
);
const moments = turns.flatMap((micros) => [micros - 1, micros, micros + 3_600_000_000]);
const [first = '', ...others] = moments.map((micros) => `timestamp_micros(${micros})`);
const instants: readonly [string, ...string[]] = [first, ...others];

/** One of each kind of matching field (streams.md). */
const sources = new Map<string, Source>([
  ['e', { name: 'e', projectField: { kind: 'column' }, shape: shapeOf({}), hotColumns: [] }],
  ['a', { name: 'a', projectField: { kind: 'metadata', member: 'ref' }, shape: shapeOf({}), hotColumns: [] }],
]);
const tables: Readonly<Record<string, string>> = {
  e: 'select id, timestamp as t, project as p, event_message as m, safe_cast(metadata.n as int64) as n from sources.e',
  a: 'select id, timestamp as t, metadata.ref as p, event_message as m, safe_cast(metadata.n as int64) as n from sources.a',
};

let test: StorageHarness;
let engine: QueryEngine;
beforeAll(async () => {
  test = await engineUnderTest.open({ sources: [...sources.values()] });
  // Three files, the last of which still receives events; two projects in each.
  for (let from = 0; from < moments.length; from += 4) {
    for (const name of sources.keys()) {
      const events = moments.slice(from, from + 4).map((micros, i) => {
        const project = i % 2 === 0 ? 'p' : 'q';
        return {
          id: `${name}${from + i}`,
          timestampMicros: micros + (name === 'a' && i % 3 === 0 ? 1 : 0),
          project,
          eventMessage: `m${i % 3}`,
          metadata: JSON.stringify({ ref: project, n: (from + i) % 5 }),
          hot: [],
          irregular: [],
        };
      });
      await test.engine.log.append({ source: name, events, identity: null });
    }
    if (from < 8) await test.age();
  }
  engine = test.engine.queries;
});
afterAll(() => test.close());

interface Reading {
  /** Whether conditions may reach the scans, or tables of which nothing above is known below are read. */
  readonly isBounded: boolean;
  /** The project of the token; null for every one. */
  readonly project: string | null;
}

function requestOf(sql: string, { isBounded, project }: Reading): RunRequest {
  const own = project === null || isBounded ? '' : ` where project = '${project}'`;
  // Neither a window over all rows nor a LIMIT lets anything pass.
  const end = isBounded ? '' : `${own} qualify count(*) over () > 0 limit 1000000`;
  const withTables = Object.entries(tables).map(([name, text]) => `${name} as (${text}${end})`);
  const text = `with ${withTables.join(', ')}${sql.startsWith('with ') ? `, ${sql.slice(5)}` : ` ${sql}`}`;
  const query = compileStored(text, { sources, parameters: new Map() });
  const projects = project !== null && isBounded ? [project] : null;
  return {
    query,
    parameters: new Map(),
    projects,
    redaction: null,
    nowMicros,
    rowsMax: 10_000,
    bytesMax: 2 ** 24,
    profile: 'plain',
  };
}

type Answer = readonly string[] | 'error';

async function answer(sql: string, reading: Reading): Promise<Answer> {
  try {
    const { rows } = await engine.run(requestOf(sql, reading), never);
    return (JSON.parse(`[${Buffer.from(rows).toString()}]`) as unknown[]).map((row) => JSON.stringify(row)).toSorted();
  } catch (error) {
    // What an expression cannot be computed of; another failure is one of the test.
    if (error instanceof Error && 'code' in error && error.code === 'sql.data') return 'error';
    throw error;
  }
}

const isBound = (sql: string, project: string | null): boolean =>
  [...new QueryPlanner().plan(requestOf(sql, { isBounded: true, project })).bounds.values()].some(
    ({ fromMicros, toMicros, projects }) =>
      fromMicros !== null || toMicros !== null || (project === null && projects !== null),
  );

describe(onEngine('a query of relations within relations answers with bounds at its scans as it does without'), () => {
  it.each([
    ['every project', null],
    ['one project, to which the call is held', 'p'],
  ])('over the events of %s', async (_, project) => {
    const random = new SeededRandom(`relations ${project}`);
    const queries = new RelationQueries(random, instants);
    let bound = 0;
    let withRows = 0;
    for (let i = 0; i < queriesOfProject; i++) {
      const sql = queries.query(random.pick([1, 1, 2, 2, 3]));
      const unbound = await answer(sql, { isBounded: false, project });
      // Where an event is not looked at, what cannot be computed of it does not fail.
      if (unbound === 'error') continue;
      expect(await answer(sql, { isBounded: true, project }), sql).toEqual(unbound);
      if (unbound.length > 0) withRows += 1;
      if (isBound(sql, project)) bound += 1;
    }
    expect(bound).toBeGreaterThan(queriesOfProject / 8);
    expect(withRows).toBeGreaterThan(queriesOfProject / 3);
  });
});
