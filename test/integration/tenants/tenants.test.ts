import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engineUnderTest, onEngine } from '../../support/enginesUnderTest.ts';
import { asJson, everyWay, letStream, type WayAnswer } from '../../support/everyWay.ts';
import { at, day } from '../../support/instants.ts';
import { everyTail, tailOf } from '../../support/tailing.ts';
import { type Answer, startWholeService, type WholeService } from '../../support/wholeService.ts';
import { callerQueries, failingQueries, oracleQueries } from './callerQueries.ts';
import { alder, birch, plainEvents, poisonedEvents, streams, type Tenant } from './tenantEvents.ts';

const variantId = '6827ba9b-37ca-425d-8cde-4f10a8dd70f3';
const logsId = 'd9a2e433-3286-44d9-a3b2-96b88c809d76';
const now = at('2026-05-01T12:34:56.789Z') + 321;
const nobody: Tenant = { project: 'tenant-nobody', tag: 'NOBODY', digits: 9_993_000 };

interface Call {
  readonly title: string;
  readonly endpoint: string;
  parametersOf(tenant: Tenant): Readonly<Record<string, string>>;
}

const statsQueries = [
  'select * from agg order by timestamp',
  'select sum(count) as n, max(max_execution_time) as max from agg',
  'select d.timestamp, a.count from dates d left join agg a using (timestamp) order by 1',
  'select array_length(d) as n, (select count(*) from agg) as buckets from arr',
];

const calls: readonly Call[] = [
  ...['logs.all', variantId].flatMap((endpoint) =>
    [null, ...callerQueries, ...oracleQueries, ...failingQueries].map(
      (sql): Call => ({
        title: `${endpoint}: ${sql ?? 'stored query'}`,
        endpoint,
        parametersOf: ({ project }) => ({ project, ...(sql === null ? {} : { sql }) }),
      }),
    ),
  ),
  ...['5min', '15min', '1hr', '1day', '7day'].map(
    (interval): Call => ({
      title: `functions.invocation-stats: ${interval}`,
      endpoint: 'functions.invocation-stats',
      parametersOf: ({ project }) => ({ project, interval }),
    }),
  ),
  ...statsQueries.map(
    (sql): Call => ({
      title: `functions.invocation-stats: ${sql}`,
      endpoint: 'functions.invocation-stats',
      parametersOf: ({ project }) => ({ project, interval: '1day', sql }),
    }),
  ),
  // Not an equality: the pattern decides. One that finds a tenant's own host finds nobody else's.
  ...[
    null,
    'select * from chart_counts order by timestamp',
    'select (select count(*) from chart_counts) as n from dates',
  ].map(
    (sql): Call => ({
      title: `usage.api-counts: ${sql ?? 'stored query'}`,
      endpoint: 'usage.api-counts',
      parametersOf: ({ tag }) => ({
        project: `^https://${tag}\\.`,
        interval: 'daily',
        ...(sql === null ? {} : { sql }),
      }),
    }),
  ),
];

let service: WholeService;
/** Everything that a caller sees, without what differs from call to call. */
const seen = ({ status, text }: Answer) => ({
  status,
  text: text
    .replace(/"elapsed_ms":[\d.]+/, '"elapsed_ms":0')
    .replace(/"request_id":"[^"]*"/, '"request_id":""')
    .replace(/"cache":\{"outcome":"\w+"/, '"cache":{"outcome":""'),
});
/** Past the cache: an answer from before the other tenant had events would prove nothing. */
const ask = ({ endpoint, parametersOf }: Call, tenant: Tenant) =>
  service.call(endpoint, parametersOf(tenant), { headers: { 'cache-control': 'no-cache' } });

/** Queries whose rows are asked for in every way: nested values, several sources, what fails for others, and for the tenant. */
const askedInEveryWay: readonly string[] = [
  'select id, event_message, m.n, metadata from edge_logs t cross join unnest(t.metadata) m order by id',
  'select id, 1 as n from edge_logs union all select id, 2 as n from auth_logs order by id desc limit 14',
  ...oracleQueries.slice(0, 1),
  ...failingQueries.slice(1),
];
const inWay = new Map<string, string>();
const jsonRows = new Map<string, WayAnswer['rows']>();
const askInWay = async (way: (typeof everyWay)[number], sql: string, { project }: Tenant) =>
  await way.ask(service, {
    endpoint: 'logs.all',
    parameters: { project, sql },
    headers: { 'cache-control': 'no-cache' },
  });

const alone = new Map<string, ReturnType<typeof seen>>();
const key = (call: Call, tenant: Tenant) => `${tenant.tag} ${call.title}`;

beforeAll(async () => {
  service = await startWholeService({ nowMicros: now, settings: { segmentEvents: 40_000 } });
  await letStream(service, [logsId]);
  for (const [stream, events] of plainEvents(alder, now, 12)) await service.send(stream, events);
  for (const call of calls) {
    for (const tenant of [alder, nobody]) alone.set(key(call, tenant), seen(await ask(call, tenant)));
  }
  for (const sql of askedInEveryWay) {
    jsonRows.set(sql, (await askInWay(asJson, sql, alder)).rows);
    for (const way of everyWay) inWay.set(`${way.title} ${sql}`, (await askInWay(way, sql, alder)).shown);
  }
  for (const [stream, events] of plainEvents(birch, now, 12)) await service.send(stream, events);
  for (const [stream, events] of poisonedEvents(birch, now)) await service.send(stream, events);
});
afterAll(() => service.close());

describe.each(calls.map((call) => [call.title, call] as const))(onEngine('%s'), (_, call) => {
  it('answers one tenant to the letter as if no other had events', async () => {
    const answer = seen(await ask(call, alder));
    expect(answer).toEqual(alone.get(key(call, alder)));
    expect(answer.status).toBe(failingQueries.some((sql) => call.title.endsWith(sql)) ? 400 : 200);
    expect(answer.text).not.toContain(birch.tag === 'BIRCH' && call.title.includes('BIRCH') ? 'BIRCH-' : birch.tag);
    expect(answer.text).not.toContain(String(birch.digits).slice(0, 4));
  });

  it('answers a tenant that does not exist as if nobody had events', async () => {
    const answer = seen(await ask(call, nobody));
    expect(answer).toEqual(alone.get(key(call, nobody)));
    expect(answer.text).not.toMatch(/ALDER-|ALDER\.|BIRCH-|BIRCH\.|7771|8882/);
  });

  it('shows the other tenant nothing of the first', async () => {
    const { status, text } = seen(await ask(call, birch));
    expect([200, 400]).toContain(status);
    expect(text).not.toMatch(/ALDER-|ALDER\.|7771/);
  });
});

describe.each(everyWay.map((way) => [way.title, way] as const))(onEngine('an answer in %s'), (_, way) => {
  it('has the rows of JSON, and not a letter more or less than if no other tenant had events', async () => {
    for (const sql of askedInEveryWay) {
      const answer = await askInWay(way, sql, alder);
      expect(answer.shown).toBe(inWay.get(`${way.title} ${sql}`));
      expect(answer.shown.replaceAll('BIRCH%', '')).not.toMatch(/BIRCH|8882/);
      if (answer.rows === null) continue;
      expect(answer.rows.length).toBeGreaterThan(0);
      expect(answer.rows).toEqual(jsonRows.get(sql));
    }
  });
});

describe(onEngine('what tells of other tenants'), () => {
  it('is not the failure of a query: it fails only for the tenant whose events make it fail', async () => {
    const failing = oracleQueries.filter((sql) => sql.includes("'BIRCH%'"));
    expect(failing.length).toBeGreaterThan(10);
    for (const sql of failing) {
      const statusOf = async ({ project }: Tenant) => (await service.call('logs.all', { project, sql })).status;
      expect([sql, await statusOf(birch), await statusOf(alder)]).toEqual([sql, 400, 200]);
    }
  });

  it('is not in rows_scanned: it counts rows after the project filter', async () => {
    for (const stream of streams) {
      const scanned = async ({ project }: Tenant) =>
        (await service.call('logs.all', { project, sql: `select count(*) as n from ${stream}` })).body;
      const own = await scanned(alder);
      expect(own.result).toEqual([{ n: 12 }]);
      expect(own.meta.query.rows_scanned).toBeLessThanOrEqual(12);
      expect((await scanned(nobody)).meta.query.rows_scanned ?? 0).toBe(0);
    }
  });

  it(`is not in the answers beside many events of another tenant${engineUnderTest.states.seals ? ', before and after they are sealed' : ''}`, async () => {
    // Many vectors: an engine that reorders conditions by what they cost does so only after a while.
    const filler = (i: number) => ({
      id: `BIRCH-filler-${i}`,
      timestamp: now - 2 * day - i,
      event_message: 'BIRCH',
      project: birch.project,
      metadata: { request: i % 2 === 0 ? 'BIRCH' : { path: '/rest', url: 'https://BIRCH.example.co' }, n: 0 },
    });
    const batch = (first: number) => Array.from({ length: 10_000 }, (_, i) => filler(first + i));
    const expectUnchanged = async () => {
      for (const call of calls) expect(seen(await ask(call, alder)), call.title).toEqual(alone.get(key(call, alder)));
    };
    for (const first of [0, 10_000, 20_000]) await service.send('edge_logs', batch(first));
    await expectUnchanged();
    await service.send('edge_logs', batch(30_000));
    // The commit after the one that filled the file rotates it.
    await service.send('edge_logs', [{ id: 'BIRCH-last', timestamp: now, project: birch.project }]);
    const isSealed = () => service.observations.some(({ kind }) => kind === 'file.sealed');
    if (!engineUnderTest.states.seals) return;
    await expect.poll(isSealed).toBe(true);
    await expectUnchanged();
  });
});

describe.each(everyTail)(onEngine('a tail of %s'), (format) => {
  it('has new rows of its own tenant only, whatever its query looks at', async () => {
    const open = (sql: string) =>
      tailOf(service.url, 'logs.all', service.adminToken, { format, project: alder.project, sql });
    const tails = await Promise.all([
      open('select id, event_message, m.n, metadata from edge_logs t cross join unnest(t.metadata) m'),
      open(
        "select id, 1 as n from edge_logs where true or event_message like '%BIRCH%' union all select id, 2 from edge_logs",
      ),
    ]);
    // Equal batches are stored once.
    const count = format === 'sse' ? 3 : 4;
    for (const tenant of [birch, alder]) {
      for (const [stream, events] of plainEvents(tenant, now, count)) await service.send(stream, events);
    }
    for (const [n, tail] of tails.entries()) {
      await expect.poll(() => tail.rows().length).toBe(count * (n + 1));
      expect(tail.shown).not.toMatch(/BIRCH-|8882/);
      expect(tail.rows().every(({ id }) => String(id).startsWith('ALDER-'))).toBe(true);
      tail.leave();
    }
  });
});
