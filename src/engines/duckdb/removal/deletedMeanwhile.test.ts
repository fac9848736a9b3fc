import { expect, it } from 'vitest';
import { compileStored } from '../../../googlesql/compile.ts';
import { Removals } from '../../../retention/removals.ts';
import { RetentionRules } from '../../../retention/retentionRules.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import { DuckDbQueryEngine } from '../query/duckdbQueryEngine.ts';
import { edgeBatch, never, TestStorage } from '../storage.fixture.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));

/** Worked out in a process of its own, which is told what the statement reads when it gets to it. */
const scripted = "regexp_instr(id, '[a-z]') = 1";

it.each([
  ['rows', `select id from sources.edge_logs where ${scripted} limit 10`],
  ['the newest rows', `select id from sources.edge_logs where ${scripted} order by timestamp desc limit 2`],
])(
  'a statement of %s keeps the files that it was written for, also where all in them is deleted then',
  async (_, sql) => {
    const test = await TestStorage.open();
    const removals = new Removals(new RetentionRules({ days: 0, bySource: new Map() }));
    test.removal = { removals };
    await test.reopen();
    for (const ids of [
      ['a', 'b'],
      ['c', 'd'],
    ]) {
      await test.storage.log.append(edgeBatch(ids, { project: 'p' }));
      await test.storage.sealNow();
    }
    const deleted = { token: 1_000, project: 'p', source: null, beforeMicros: null, requestedMicros: 0 };
    // Another deletion is in force already, so that files are looked at by what of them is left.
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
