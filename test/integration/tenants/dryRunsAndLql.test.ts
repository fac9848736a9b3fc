import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onEngine } from '../../support/enginesUnderTest.ts';
import { at } from '../../support/instants.ts';
import { type Answer, startWholeService, type WholeService } from '../../support/wholeService.ts';
import { callerQueries, failingQueries, oracleQueries } from './callerQueries.ts';
import { alder, birch, plainEvents, poisonedEvents } from './tenantEvents.ts';

const now = at('2026-05-01T12:34:56.789Z') + 321;
const retention = '6827ba9b-37ca-425d-8cde-4f10a8dd70f3';

/** Over the nine tables, each with an order that leaves no choice. */
const lqlQueries: readonly string[] = [
  'f:edge_logs',
  'f:database_logs message',
  'f:edge_logs BIRCH',
  'f:edge_logs -BIRCH',
  'f:edge_logs "BIRCH message 1"',
  'f:edge_logs ~"^.*BIRCH"',
  'f:edge_logs ~"(?i)alder|birch"',
  'f:edge_logs m.request.method:GET',
  'f:edge_logs -m.request.method:GET s:id s:m.request.path@path',
  'f:edge_logs m.request.url:~"BIRCH|ALDER" s:id',
  'f:edge_logs m.words:@>BIRCH s:id',
  'f:edge_logs m.words:@>~"IRCH" s:id',
  'f:edge_logs m.n:>=8882000 s:id s:m.n',
  'f:edge_logs m.n:0..9999999 s:m.n',
  'f:edge_logs m.only_BIRCH:NULL s:id',
  'f:edge_logs -m.only_BIRCH:NULL s:id',
  'f:edge_logs t:last@2h',
  'f:edge_logs t:today c:count(*) c:group_by(t::hour)',
  'f:edge_logs c:count(*)',
  'f:edge_logs c:countd(m.words) c:group_by(t::day)',
  'f:edge_logs c:max(m.n) c:group_by(t::hour)',
  'f:function_edge_logs c:p99(m.execution_time_ms) c:group_by(t::day)',
  'f:function_edge_logs c:avg(m.execution_time_ms) c:group_by(t::day)',
  'f:auth_logs s:*',
  'f:storage_logs m.level:debug..emergency',
];

interface Call {
  readonly title: string;
  readonly endpoint: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const inEach = (title: string, more: Readonly<Record<string, string>>): readonly Call[] =>
  ['logs.all', retention].map((endpoint) => ({
    title: `${endpoint}: ${title}`,
    endpoint,
    parameters: { project: alder.project, ...more },
  }));

const ofOpen = (title: string, more: Readonly<Record<string, string>>): Call => ({
  title: `open.all: ${title}`,
  endpoint: 'open.all',
  parameters: more,
});

const lqlCalls: readonly Call[] = [
  ...lqlQueries.flatMap((lql) => inEach(lql, { lql })),
  ...[
    'f:edge_logs',
    'f:edge_logs project:tenant-birch',
    'f:edge_logs BIRCH',
    'f:function_logs c:count(*)',
    'f:both_logs',
  ].map((lql) => ofOpen(lql, { lql })),
];

const dryRuns: readonly Call[] = [
  ...inEach('stored query', {}),
  ...[...callerQueries, ...oracleQueries, ...failingQueries].flatMap((sql) => inEach(sql, { sql })),
  ...lqlCalls,
  ofOpen('stored query', {}),
  ofOpen('a project of another', { sql: `select id from edge_logs where project = '${birch.project}'` }),
  {
    title: 'stats',
    endpoint: 'functions.invocation-stats',
    parameters: { project: alder.project, interval: '1hr' },
  },
  { title: 'counts', endpoint: 'usage.api-counts', parameters: { project: '.', interval: 'daily' } },
].map((call) => ({ ...call, title: `dry run of ${call.title}`, parameters: { ...call.parameters, dry_run: 'true' } }));

let service: WholeService;
type Who = 'caller' | 'manager' | 'free';
let tokens: Readonly<Record<Who, string>>;

/** Everything that a caller sees, without what differs from call to call. */
const seen = ({ status, text }: Answer) => ({
  status,
  text: text
    .replace(/"elapsed_ms":[\d.]+/, '"elapsed_ms":0')
    .replace(/"request_id":"[^"]*"/, '"request_id":""')
    .replace(/"cache":\{"outcome":"\w+"/, '"cache":{"outcome":""'),
});
/** Past the cache: an answer from before the other tenant had events would prove nothing. */
const ask = (who: Who, { endpoint, parameters }: Pick<Call, 'endpoint' | 'parameters'>) =>
  service.call(endpoint, parameters, {
    method: 'POST',
    headers: { 'x-api-key': tokens[who], 'cache-control': 'no-cache' },
  });

const alone = new Map<string, ReturnType<typeof seen>>();

beforeAll(async () => {
  service = await startWholeService({ nowMicros: now });
  await service.define({
    id: '00000000-0000-4000-8000-000000000021',
    name: 'open.all',
    sandbox: true,
    query: `with edge_logs as (select id, timestamp, project, event_message, metadata from sources.edge_logs),
      function_logs as (select id, timestamp, event_message, metadata from sources.function_logs),
      both_logs as (select id from sources.edge_logs union all select id from sources.auth_logs)
      select id, project from edge_logs order by id`,
  });
  const scopes = ['query', 'query:explain', 'query:fresh'];
  tokens = {
    caller: await service.makeToken(scopes, [alder.project]),
    manager: await service.makeToken([...scopes, 'manage'], [alder.project]),
    free: await service.makeToken(scopes),
  };
  // The store is looked at twice a second.
  service.clock.advanceMs(1000);
  for (const [stream, events] of plainEvents(alder, now, 9)) await service.send(stream, events);
  for (const call of [...lqlCalls, ...dryRuns]) alone.set(call.title, seen(await ask('caller', call)));
  for (const [stream, events] of plainEvents(birch, now, 9)) await service.send(stream, events);
  for (const [stream, events] of poisonedEvents(birch, now)) await service.send(stream, events);
});
afterAll(() => service.close());

/** What only events of the other tenant hold: a caller may have written the rest. */
const theirs = /BIRCH[-.]|888[23]\d{3}/;

describe.each(lqlCalls.map((call) => [call.title, call] as const))(onEngine('%s'), (_, call) => {
  it('answers a restricted token to the letter as if no other tenant had events', async () => {
    const answer = seen(await ask('caller', call));
    expect(answer.status).toBe(200);
    expect(answer).toEqual(alone.get(call.title));
    expect(answer.text.replaceAll(call.parameters.lql ?? '', '')).not.toMatch(theirs);
  });
});

describe.each(dryRuns.map((call) => [call.title, call] as const))(onEngine('%s'), (_, call) => {
  it('tells a restricted token the same whatever other tenants have, and nothing of files, statements and plans', async () => {
    const answer = seen(await ask('caller', call));
    expect(answer.status).toBe(200);
    expect(answer).toEqual(alone.get(call.title));
    expect(answer.text).not.toMatch(/sealed_|active_|logmill_|EXPLAIN|SEQ_SCAN|estimated/i);
    const told = JSON.parse(answer.text) as { readonly dry_run: Readonly<Record<string, unknown>> };
    expect(Object.keys(told.dry_run)).toEqual(['language', 'tables', 'columns', 'parameters', 'rows_max']);
    const managed = JSON.parse((await ask('manager', call)).text) as typeof told;
    expect(managed.dry_run).toMatchObject(told.dry_run);
    expect(Object.keys(managed.dry_run)).not.toContain('engine');
  });
});

describe(onEngine('a dry run and a query in LQL'), () => {
  it.each<[string, Readonly<Record<string, string>>]>([
    ['logs.all', { dry_run: 'true' }],
    [retention, { dry_run: 'true', sql: 'select id from edge_logs' }],
    ['logs.all', { dry_run: 'true', lql: 'f:edge_logs' }],
    ['logs.all', { lql: 'f:edge_logs' }],
    [retention, { lql: 'f:edge_logs c:count(*)' }],
    ['functions.invocation-stats', { dry_run: 'true', interval: '1hr' }],
  ])('are refused for the project of another tenant, as any call is: %s %j', async (endpoint, more) => {
    for (const project of [birch.project, 'tenant-nobody']) {
      for (const who of ['caller', 'manager'] as const) {
        const { status, body, text } = await ask(who, { endpoint, parameters: { project, ...more } });
        expect({ status, code: body.code, errors: body.errors }).toEqual({
          status: 403,
          code: 'auth.project',
          errors: [{ parameter: 'project', value: project, allowed: [alder.project] }],
        });
        expect(text).not.toMatch(theirs);
      }
      expect((await ask('free', { endpoint, parameters: { project, ...more } })).status).toBe(200);
    }
  });

  it('would find events of the other tenant with a token for all', async () => {
    const { text } = await ask('free', { endpoint: 'open.all', parameters: { lql: 'f:edge_logs BIRCH' } });
    expect(text).toMatch(theirs);
  });

  it('name no table but those of the endpoint', async () => {
    for (const more of [
      { sql: 'select 1 from sources.edge_logs' },
      { lql: 'f:sources.edge_logs' },
      { lql: 'f:usage' },
    ]) {
      const { status, text } = await ask('caller', {
        endpoint: 'logs.all',
        parameters: { project: alder.project, dry_run: 'true', ...more },
      });
      expect([400, 403], JSON.stringify(more)).toContain(status);
      expect(text).not.toMatch(theirs);
    }
  });
});
