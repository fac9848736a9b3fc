import { beforeEach, expect, it, vi } from 'vitest';
import { defaultDuckDbSettings } from '../settings.ts';
import type { EngineConnection } from './engineConnection.ts';
import { EngineFailure } from './engineFailure.ts';
import { EngineStatements } from './engineStatements.ts';
import type { EngineSupervisor } from './engineSupervisor.ts';

interface Attempt {
  readonly sql: string;
  readonly succeed: () => void;
  readonly runOutOfMemory: () => void;
}

let attempts: Attempt[];
let statements: EngineStatements;
/** Ends of what the process does besides statements. */
let otherCalls: Promise<void>[];

beforeEach(() => {
  attempts = [];
  otherCalls = [];
  const engine = {
    residentBytes: () => 0,
    endsOfCalls: () => otherCalls,
    start: (_call: 'statement', { sql }: { readonly sql: string }) => ({
      id: attempts.length,
      reply: new Promise((resolve, reject) => {
        const failure = { kind: 'memory', message: null, line: 0, column: 0, detail: 'Out of Memory Error' } as const;
        attempts.push({
          sql,
          succeed: () => resolve({ gives: { values: [[sql]] }, payload: Buffer.alloc(0) }),
          runOutOfMemory: () => reject(new EngineFailure(failure)),
        });
      }),
    }),
  } as unknown as EngineConnection;
  statements = new EngineStatements({
    supervisor: { engine } as unknown as EngineSupervisor,
    settings: defaultDuckDbSettings,
    functions: [],
  });
});

const run = (sql: string) => statements.runValues(sql, new AbortController().signal);
/** The attempt with this number, from 1, of the statement. */
const attempt = async (sql: string, number: number): Promise<Attempt> =>
  await vi.waitFor(() => {
    const found = attempts.filter((each) => each.sql === sql)[number - 1];
    if (found === undefined) throw new Error(`${sql} was not attempted ${number} times`);
    return found;
  });

it('repeats a statement that ran out of memory after the other statement has ended', async () => {
  const [large, small] = [run('large'), run('small')];
  (await attempt('small', 1)).runOutOfMemory();
  (await attempt('large', 1)).succeed();
  expect(await large).toEqual([['large']]);
  (await attempt('small', 2)).succeed();
  expect(await small).toEqual([['small']]);
});

it('repeats both of two statements that ran out of memory together, whichever failed first', async () => {
  const [first, second] = [run('first'), run('second')];
  const failing = [await attempt('first', 1), await attempt('second', 1)];
  for (const { runOutOfMemory } of failing) {
    runOutOfMemory();
    await new Promise(setImmediate);
  }
  for (const sql of ['first', 'second']) (await attempt(sql, 2)).succeed();
  expect(await Promise.all([first, second])).toEqual([[['first']], [['second']]]);
});

it('repeats one a few times beside a statement that does not end', async () => {
  const large = run('large');
  const small = run('small');
  for (const number of [1, 2, 3]) (await attempt('small', number)).runOutOfMemory();
  (await attempt('small', 4)).succeed();
  expect(await small).toEqual([['small']]);
  (await attempt('large', 1)).succeed();
  await large;
});

it('repeats one beside a merge, which needs memory too', async () => {
  let endMerge = () => {};
  otherCalls = [new Promise<void>((resolve) => (endMerge = resolve))];
  const small = run('small');
  (await attempt('small', 1)).runOutOfMemory();
  endMerge();
  (await attempt('small', 2)).succeed();
  expect(await small).toEqual([['small']]);
});

it('refuses one that ran out of memory alone', async () => {
  const refused = expect(run('large')).rejects.toMatchObject({ code: 'query.memory' });
  (await attempt('large', 1)).runOutOfMemory();
  await refused;
  expect(attempts).toHaveLength(1);
});

it('repeats one that took long before it ran out of memory once', async () => {
  const now = vi.spyOn(performance, 'now');
  try {
    const other = run('other');
    const refused = expect(run('large')).rejects.toMatchObject({ code: 'query.memory' });
    otherCalls = [Promise.resolve()];
    const slow = async (number: number) => {
      const { runOutOfMemory } = await attempt('large', number);
      const laterMs = performance.now() + 2_000;
      now.mockImplementation(() => laterMs);
      runOutOfMemory();
    };
    await slow(1);
    (await attempt('other', 1)).succeed();
    await other;
    await slow(2);
    await refused;
    expect(attempts.filter(({ sql }) => sql === 'large')).toHaveLength(2);
  } finally {
    now.mockRestore();
  }
});
