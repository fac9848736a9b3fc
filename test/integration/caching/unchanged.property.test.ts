import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DuckDbStorage, openDuckDbStorage } from '../../../src/engines/duckdb/openDuckDbStorage.ts';
import { duckDbSettingsOf } from '../../../src/start/duckDbSettingsOf.ts';
import { SqliteFileManifest } from '../../../src/stores/sqlite/sqliteFileManifest.ts';
import { runCommandLine } from '../../support/commandLine.ts';
import { damageFile } from '../../support/damageFile.ts';
import { at } from '../../support/instants.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

const now = at('2026-05-20T12:00:00Z');
const hourMs = 3_600_000;
const never = new AbortController().signal;

let service: WholeService;
let storage: DuckDbStorage;
let tokens: Record<'all' | 'p' | 'redacting', string>;

beforeAll(async () => {
  service = await startWholeService({
    nowMicros: now,
    openEngine: async ({ settings, database, shared: _shared, stored, standbyEngine, ...given }) => {
      storage = await openDuckDbStorage({
        ...stored,
        ...given,
        dataDir: settings.dataDir,
        manifest: new SqliteFileManifest(database),
        standby: standbyEngine,
        settings: { ...duckDbSettingsOf(settings), mergeFiles: 2, restartWaitMs: 300_000 },
      });
      return storage;
    },
  });
  await service.define({
    id: '00000000-0000-4000-8000-000000000103',
    name: 'every.project',
    query:
      'select project, count(*) as n, max(timestamp) as last from sources.edge_logs group by project order by project',
  });
  const scopes = ['query', 'query:fresh'];
  tokens = {
    all: await service.makeToken(scopes),
    p: await service.makeToken(scopes, ['p']),
    redacting: await service.makeToken(scopes, undefined, true),
  };
});
afterAll(() => service.close());

const byPath = `select t.metadata.request.path as path, count(*) as n from edge_logs as t group by path order by path`;
const questions = {
  logs: ['logs.all', {}],
  oldest: ['logs.all', { sql: 'select id, event_message from edge_logs order by timestamp limit 3' }],
  bounded: ['logs.all', { iso_timestamp_start: '2026-05-19T20:00:00Z' }],
  paths: ['logs.all', { sql: byPath }],
  lql: ['logs.all', { lql: 's:timestamp s:event_message' }],
  everyProject: ['every.project', {}],
} as const satisfies Record<string, readonly [string, Readonly<Record<string, string>>]>;
type Question = keyof typeof questions;

interface Asked {
  readonly question: Question;
  readonly project: 'p' | 'q';
  readonly token: keyof typeof tokens;
}

/** What the caller sees of the events, as bytes, and how it was produced. */
async function ask({ question, project, token }: Asked, headers: Readonly<Record<string, string>> = {}) {
  const [endpoint, parameters] = questions[question];
  const named = endpoint === 'logs.all' ? { project, ...parameters } : parameters;
  const options = { headers: { 'x-api-key': tokens[token], ...headers } };
  const { status, text, headers: answered } = await service.call(endpoint, named, options);
  const { meta, code } = JSON.parse(text);
  const rows = status === 200 ? text.slice(0, text.indexOf('],"meta":')) : code;
  const { notices, data_begins, truncated, redaction } = meta ?? {};
  return {
    seen: { status, rows, notices, data_begins, truncated, redaction },
    outcome: meta?.cache.outcome,
    asOf: meta?.cache.as_of,
    etag: answered.get('etag'),
    age: answered.get('age'),
    cacheStatus: answered.get('cache-status'),
  };
}
const run = (asked: Asked) => ask(asked, { 'cache-control': 'no-cache' });

let sent = 0;
const event = (project: string, hoursAgo: number) => ({
  id: `e${++sent}`,
  project,
  timestamp: service.clock.nowMicros() - hoursAgo * hourMs * 1000,
  event_message: `from 203.0.113.${sent % 200}`,
  metadata: { request: { path: `/${sent % 3}`, url: `https://${project}.example.com/` } },
});
const append = (project: string, hoursAgo = 0, count = 1) =>
  service.send(
    'edge_logs',
    Array.from({ length: count }, () => event(project, hoursAgo)),
  );

async function command(...args: readonly string[]): Promise<void> {
  const { code, err } = await runCommandLine(service, args);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${err}`);
}

/** Damages the newest sealed segment, and lets a query find that out. */
async function damage(): Promise<void> {
  await storage.sealNow();
  const folder = join(service.dataDir, 'events');
  const [newest] = readdirSync(folder)
    .filter((name) => /^sealed-\d+\.duckdb$/.test(name))
    .sort((a, b) => Number(b.match(/\d+/)) - Number(a.match(/\d+/)));
  if (newest === undefined) return;
  damageFile(join(folder, newest), 512, 12_288);
  await kill();
  const lease = storage.files.lease();
  lease.release();
  await storage.files.damaged.examine(lease.files);
}

async function kill(): Promise<void> {
  const pid = storage.enginePid;
  if (pid !== null) process.kill(pid, 'SIGKILL');
  await storage.ping(never);
}

const asked: fc.Arbitrary<Asked> = fc.record({
  question: fc.constantFrom(...(Object.keys(questions) as Question[])),
  project: fc.constantFrom('p', 'q'),
  token: fc.constantFrom('all', 'all', 'p', 'redacting'),
});
const project = fc.constantFrom('p', 'q');
const hoursAgo = fc.constantFrom(0, 1, 16, 23);
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('ask' as const), asked, times: fc.constantFrom(1, 3) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('append' as const), project, hoursAgo }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('appendDuring' as const), project, hoursAgo, asked }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), minutes: fc.constantFrom(1, 59, 180, 420) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), project }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('retention' as const), project, days: fc.constantFrom('1', '2', null) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('seal' as const, 'merge' as const, 'remove' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('kill' as const, 'damage' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Every way in which answers change, at least once. */
const everyWay: readonly Step[] = [
  { kind: 'append', project: 'p', hoursAgo: 0 },
  { kind: 'appendDuring', project: 'p', hoursAgo: 1, asked: { question: 'logs', project: 'p', token: 'all' } },
  { kind: 'seal' },
  { kind: 'retention', project: 'p', days: '1' },
  // Two events are now older than a day.
  { kind: 'wait', minutes: 180 },
  { kind: 'remove' },
  { kind: 'append', project: 'q', hoursAgo: 0 },
  { kind: 'delete', project: 'q' },
  { kind: 'append', project: 'p', hoursAgo: 0 },
  { kind: 'damage' },
];

/** Answers by outcome. */
const outcomes = new Map<string, number>();

/** Whatever an answer was made from, it is that of a run at the same moment. */
async function check(each: Asked): Promise<void> {
  const answer = await ask(each);
  const expected = await run(each);
  expect(expected.outcome ?? 'bypass').toBe('bypass');
  expect([answer.outcome, answer.seen]).toEqual([answer.outcome, expected.seen]);
  outcomes.set(answer.outcome, (outcomes.get(answer.outcome) ?? 0) + 1);
  if (answer.outcome !== 'unchanged') return;
  expect(answer).toMatchObject({ age: '0', cacheStatus: 'Logmill; hit; detail=unchanged', etag: expected.etag });
  expect(answer.asOf).toBe(expected.asOf);
}

async function take(next: Step): Promise<void> {
  switch (next.kind) {
    case 'ask':
      for (let n = 0; n < next.times; n++) await check(next.asked);
      return;
    case 'append':
      return await append(next.project, next.hoursAgo);
    case 'appendDuring': {
      const before = await run(next.asked);
      const sending = append(next.project, next.hoursAgo);
      const answers = await Promise.all([ask(next.asked), ask(next.asked), sending]);
      const after = await run(next.asked);
      for (const answer of answers)
        if (answer !== undefined) expect([before.seen, after.seen]).toContainEqual(answer.seen);
      return await check(next.asked);
    }
    case 'wait':
      return service.clock.advanceMs(next.minutes * 60_000);
    case 'delete':
      return await command('projects', 'delete-events', next.project, '--yes');
    case 'retention':
      return await command(
        'projects',
        'retention',
        next.project,
        ...(next.days === null ? ['--default'] : ['--days', next.days]),
      );
    case 'seal':
      return await storage.sealNow();
    case 'merge':
      return await storage.mergeNow();
    case 'remove':
      return await storage.removeNow();
    case 'kill':
      return await kill();
    case 'damage':
      return await damage();
  }
}

describe('answers from memory', () => {
  // A segment that is sealed or merged in the background changes every state, and commits rotate one that is a day old.
  beforeEach(async () => {
    await storage.sealNow();
    await storage.mergeNow();
  });

  it('are, byte for byte, those of a run at that moment, whatever is stored, removed, damaged, rewritten or killed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 12 }), async (steps) => {
        // Asked before and after each step, so that their answers are in memory when something changes.
        const often: Asked[] = [
          { question: 'logs', project: 'p', token: 'all' },
          { question: 'everyProject', project: 'p', token: 'all' },
        ];
        await append('p', 22, 2);
        await append('q', 1);
        for (const one of often) for (let n = 0; n < 3; n++) await check(one);
        for (const each of [...everyWay, ...steps]) {
          for (const one of often) await ask(one);
          await take(each);
          for (const one of often) await check(one);
        }
      }),
      { numRuns: 1, endOnFailure: true },
    );
    expect(outcomes.get('unchanged') ?? 0).toBeGreaterThan(10);
  });

  it('need no engine, and are answered with 304 if the caller has them, until an event of the project is stored', async () => {
    const url = `${service.url}/api/endpoints/query/logs.all?project=quiet`;
    // Conditional requests of fetch have Cache-Control: no-cache, which would run the query with the scope query:fresh.
    const token = await service.makeToken(['query']);
    const get = (more: Readonly<Record<string, string>> = {}) =>
      fetch(url, { headers: { 'x-api-key': token, ...more } });
    const queries = () => service.observations.filter(({ kind }) => kind === 'query.ended').length;
    await append('quiet', 0, 3);
    const answers = [await get(), await get(), await get()];
    const texts = await Promise.all(answers.map((each) => each.text()));
    expect(texts.map((text) => JSON.parse(text).meta.cache.outcome)).toEqual(['bypass', 'bypass', 'unchanged']);
    const before = queries();
    const etag = answers[2]?.headers.get('etag') ?? '';
    await append('other');
    for (let n = 0; n < 3; n++) {
      const answer = await get({ 'if-none-match': etag });
      expect([answer.status, await answer.text(), answer.headers.get('etag')]).toEqual([304, '', etag]);
      expect(answer.headers.get('cache-control')).toBe('private, no-cache');
    }
    expect(queries()).toBe(before);
    await append('quiet');
    const changed = await get({ 'if-none-match': etag });
    expect([changed.status, JSON.parse(await changed.text()).meta.row_count]).toEqual([200, 4]);
  });

  it('stay within the projects of a token, whoever asked the same before, and end with the token', async () => {
    const of = { p: await service.makeToken(['query'], ['wall-p']), q: await service.makeToken(['query'], ['wall-q']) };
    await append('wall-p', 0, 2);
    await append('wall-q', 0, 5);
    const askAs = async (token: string, headers = {}) => {
      const answer = await fetch(`${service.url}/api/endpoints/query/every.project`, {
        headers: { 'x-api-key': token, ...headers },
      });
      const text = await answer.text();
      const { result, meta } = text === '' ? {} : JSON.parse(text);
      const rows = result?.map((row: { project: string; n: number }) => [row.project, row.n]);
      return { status: answer.status, rows, outcome: meta?.cache?.outcome, etag: answer.headers.get('etag') ?? '' };
    };
    const [p, q] = [[['wall-p', 2]], [['wall-q', 5]]];
    // Work in the background can still change a state: then both are run and kept again.
    const last = { p: await askAs(of.p), q: await askAs(of.q) };
    for (let round = 1; round < 20; round++) {
      last.p = await askAs(of.p);
      last.q = await askAs(of.q);
      expect([last.p.rows, last.q.rows]).toEqual([p, q]);
      if (round > 1 && last.p.outcome === 'unchanged' && last.q.outcome === 'unchanged') break;
    }
    expect([last.p.outcome, last.q.outcome]).toEqual(['unchanged', 'unchanged']);
    expect(await askAs(of.q, { 'if-none-match': last.p.etag })).toMatchObject({ status: 200, rows: q });
    await append('wall-q');
    expect(await askAs(of.p)).toMatchObject({ rows: p, outcome: 'unchanged' });
    expect(await askAs(of.q)).toMatchObject({ rows: [['wall-q', 6]], outcome: 'bypass' });
    await command('tokens', 'revoke', of.p.slice(3, 15), '--data-dir', service.dataDir);
    service.clock.advanceMs(1000);
    expect((await askAs(of.p)).status).toBe(401);
  });

  it('are not given to a caller who may demand a run and does, nor to one who accepts only a cached result', async () => {
    await append('fresh');
    const one: Asked = { question: 'everyProject', project: 'p', token: 'all' };
    for (let n = 0; n < 2; n++) await ask(one);
    expect((await ask(one)).outcome).toBe('unchanged');
    expect((await run(one)).outcome).toBe('bypass');
    const [endpoint] = questions.everyProject;
    const cached = await service.call(endpoint, {}, { headers: { 'cache-control': 'only-if-cached' } });
    expect(cached).toMatchObject({ status: 504, body: { code: 'cache.only_if_cached' } });
  });
});
