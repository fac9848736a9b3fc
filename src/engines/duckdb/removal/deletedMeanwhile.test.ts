import { expect, it } from 'vitest';
import { Turns } from '../../../core/concurrency/turns.ts';
import { compileStored } from '../../../googlesql/compile.ts';
import { Removals } from '../../../retention/removals.ts';
import { RetentionRules } from '../../../retention/retentionRules.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import { DuckDbQueryEngine } from '../query/duckdbQueryEngine.ts';
import { edgeBatch, never, TestStorage } from '../storage.fixture.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));

/** Runs in a function process, which learns what the statement reads when its turn comes. */
const scripted = "regexp_instr(id, '[a-z]') = 1";

it.each([
  ['rows', `select id from sources.edge_logs where ${scripted} limit 10`],
  ['the newest rows', `select id from sources.edge_logs where ${scripted} order by timestamp desc limit 2`],
])(
  'a statement of %s keeps the files that it was written for, also where all in them is deleted then',
  async (_, sql) => {
    const test = await TestStorage.open();
    const removals = new Removals(new RetentionRules({ days: 0, bySource: new Map() }));
    test.given = { removals };
    await test.reopen();
    for (const ids of [
      ['a', 'b'],
      ['c', 'd'],
    ]) {
      await test.storage.log.append(edgeBatch(ids, { project: 'p' }));
      await test.storage.sealNow();
    }
    const deleted = { token: 1_000, project: 'p', source: null, beforeMicros: null, requestedMicros: 0 };
    // Another deletion is already in force, so that segments are checked for visible events.
    removals.add({ ...deleted, token: 999, project: 'q' });
    const runner = test.storage.statements;
    const engine = new DuckDbQueryEngine(test.storage.files, {
      ...runner,
      boundTo: (projects) => {
        const bound = runner.boundTo(projects);
        return {
          ...bound,
          runRows: async (...args) => {
            removals.add(deleted);
            return await bound.runRows(...args);
          },
          runNewest: async (...args) => {
            removals.add(deleted);
            return await bound.runNewest(...args);
          },
        };
      },
    });
    const query = compileStored(sql, { sources, parameters: new Map() });
    const bounds = { projects: ['p'], redaction: null, nowMicros: 0, rowsMax: 10, bytesMax: 2 ** 20 } as const;
    const run = async () => await engine.run({ query, parameters: new Map(), profile: 'plain', ...bounds }, never);
    expect((await run()).rowCount).toBeGreaterThan(0);
    expect((await run()).rowCount).toBe(0);
    await test.close();
  },
);

it('gives the newest rows of before a deletion or of after it, whichever turn of the run it comes in', async () => {
  const test = await TestStorage.open();
  // Enough events for a cutoff search. The newest all belong to the project that is deleted.
  const [event] = edgeBatch(['']).events;
  if (event === undefined) throw new Error('no event');
  const events = Array.from({ length: 3_200 }, (_, n) => ({
    ...event,
    id: `e${n}`,
    timestampMicros: event.timestampMicros + n * 1_000_000,
    project: n < 3_100 ? 'left' : 'deleted',
  }));
  await test.storage.log.append({ ...edgeBatch([]), events });
  await test.storage.sealNow();
  const { files, statements } = test.storage;
  const query = compileStored('select id, metadata from sources.edge_logs order by timestamp desc limit 2', {
    sources,
    parameters: new Map(),
  });
  const bounds = { projects: ['left', 'deleted'], redaction: null, nowMicros: 0, rowsMax: 2, bytesMax: 2 ** 20 };
  const turnsOfRun: number[] = [];
  const idsOf = async (deletedIn: number): Promise<readonly string[]> => {
    const removals = new Removals(new RetentionRules({ days: 0, bySource: new Map() }));
    const deletion = { token: 1_000, source: null, beforeMicros: null, requestedMicros: 0 };
    removals.add({ ...deletion, project: 'another' });
    let turns = 0;
    class Deleting extends Turns {
      override async next(): Promise<void> {
        if (++turns === deletedIn) removals.add({ ...deletion, token: 1_001, project: 'deleted' });
        await super.next();
      }
    }
    let nowMs = 0;
    // Every look at the clock finds the turn over.
    const engine = new DuckDbQueryEngine(
      { damaged: files.damaged, lease: () => files.lease(), removals },
      statements,
      new Deleting(() => (nowMs += 1_000)),
    );
    const { rows } = await engine.run({ query, parameters: new Map(), profile: 'plain', ...bounds }, never);
    turnsOfRun.push(turns);
    return (JSON.parse(`[${Buffer.from(rows).toString()}]`) as { readonly id: string }[]).map(({ id }) => id);
  };
  const [before, after] = [
    ['e3199', 'e3198'],
    ['e3099', 'e3098'],
  ];
  expect(await idsOf(1)).toEqual(after);
  // Before the plan, after it, between the steps of writing a statement, and between the cutoff and the rows.
  const turns = turnsOfRun.at(-1) ?? 0;
  expect(turns).toBeGreaterThan(4);
  for (let turn = 2; turn <= turns; turn++) expect([before, after]).toContainEqual(await idsOf(turn));
  expect(await idsOf(turns + 1)).toEqual(before);
  expect(turnsOfRun.at(-1)).toBe(turns);
  await test.close();
});
