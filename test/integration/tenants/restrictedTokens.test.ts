import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onEngine } from '../../support/enginesUnderTest.ts';
import { everyWay, letStream } from '../../support/everyWay.ts';
import { at } from '../../support/instants.ts';
import { everyTail, tailOf } from '../../support/tailing.ts';
import { type Answer, startWholeService, type WholeService } from '../../support/wholeService.ts';
import { callerQueries } from './callerQueries.ts';
import { alder, birch, plainEvents, streams, type Tenant } from './tenantEvents.ts';

const now = at('2026-05-01T12:34:56.789Z') + 321;
const variantId = '6827ba9b-37ca-425d-8cde-4f10a8dd70f3';
const cedar: Tenant = { project: 'tenant-cedar', tag: 'CEDAR', digits: 6_664_000 };

let service: WholeService;
let tokens: { readonly alder: string; readonly birch: string; readonly both: string; readonly all: string };

beforeAll(async () => {
  service = await startWholeService({ nowMicros: now });
  for (const tenant of [alder, birch, cedar]) {
    for (const [stream, events] of plainEvents(tenant, now, 9)) await service.send(stream, events);
  }
  // Endpoints whose queries forget the project, or let the caller have it.
  await service.define({
    id: '00000000-0000-4000-8000-000000000011',
    name: 'open.all',
    sandbox: true,
    query: `with edge_logs as (select id, timestamp, project, event_message, metadata from sources.edge_logs),
      function_logs as (select id, metadata from sources.function_logs),
      both_logs as (select id from sources.edge_logs union all select id from sources.auth_logs)
      select id, project from edge_logs order by id`,
  });
  await service.define({
    id: '00000000-0000-4000-8000-000000000012',
    name: 'open.by-list',
    query: 'select id from sources.edge_logs where project in (@first, @second) order by id',
    parameters: { first: { type: 'string' }, second: { type: 'string' } },
  });
  await letStream(service, ['d9a2e433-3286-44d9-a3b2-96b88c809d76', '00000000-0000-4000-8000-000000000011']);
  tokens = {
    alder: await service.makeToken(['query', 'query:stream'], [alder.project]),
    birch: await service.makeToken(['query'], [birch.project]),
    both: await service.makeToken(['query'], [birch.project, alder.project]),
    all: await service.makeToken(['query', 'query:stream']),
  };
  // The store is looked at twice a second.
  service.clock.advanceMs(1000);
});
afterAll(() => service.close());

const ask = (token: string, endpoint: string, parameters: Readonly<Record<string, string>>) =>
  service.call(endpoint, parameters, { method: 'POST', headers: { 'x-api-key': token } });
const tagsIn = (text: string) => [alder, birch, cedar].map(({ tag }) => tag).filter((tag) => text.includes(`${tag}-`));
const counted = ({ body }: Answer) =>
  body.result.reduce((sum, row) => sum + Number(row.total_rest_requests ?? row.n ?? 0), 0);

describe(onEngine('a token that is restricted to projects'), () => {
  it.each(everyWay)('sees no other project in $title, in rows, headers and errors', async (way) => {
    const sql = 'select id, event_message, metadata, 1 as n from edge_logs';
    const ask = (endpoint: string, parameters: Readonly<Record<string, string>>, token = tokens.alder) =>
      way.ask(service, { endpoint, parameters, headers: { 'x-api-key': token } });
    const [open, own, other, failed] = await Promise.all([
      ask('open.all', { sql }),
      ask('logs.all', { sql, project: alder.project }),
      ask('logs.all', { sql, project: birch.project }),
      ask('open.all', { sql: `${sql} where 1 / (extract(minute from timestamp) - 20) = 0` }),
    ]);
    expect([open.status, own.status, other.status]).toEqual([200, 200, 403]);
    for (const { shown } of [open, own, other, failed]) {
      expect(tagsIn(shown).filter((tag) => tag !== alder.tag)).toEqual([]);
    }
    for (const { shown, rows } of [open, own]) {
      expect(tagsIn(shown)).toEqual([alder.tag]);
      if (rows !== null) expect(rows).toHaveLength(9);
    }
    // Project isolation, and not the way, keeps them apart.
    expect(tagsIn((await ask('open.all', { sql }, tokens.all)).shown)).toEqual([alder.tag, birch.tag, cedar.tag]);
  });

  it('answers for its own projects as a token without projects does', async () => {
    const calls: [string, Record<string, string>][] = [
      ...['logs.all', variantId].flatMap((endpoint): [string, Record<string, string>][] => [
        [endpoint, { project: alder.project }],
        ...callerQueries.map((sql): [string, Record<string, string>] => [endpoint, { project: alder.project, sql }]),
      ]),
      ['functions.invocation-stats', { project: alder.project, interval: '1hr' }],
      ['functions.invocation-stats', { project: alder.project, interval: '1hr', sql: 'select count(*) as n from agg' }],
      ['usage.api-counts', { project: `^https://${alder.tag}\\.`, interval: 'daily' }],
    ];
    for (const [endpoint, parameters] of calls) {
      const free = await ask(tokens.all, endpoint, parameters);
      expect(free.status, JSON.stringify(parameters)).toBe(200);
      for (const token of [tokens.alder, tokens.both]) {
        const { status, body } = await ask(token, endpoint, parameters);
        expect({ status, result: body.result, parameters }).toEqual({
          status: 200,
          result: free.body.result,
          parameters,
        });
      }
    }
  });

  it.each([
    ['logs.all', {}],
    [variantId, {}],
    ['logs.all', { sql: 'select 1 as one' }],
    ['logs.all', { sql: 'select id from edge_logs' }],
    ['functions.invocation-stats', { interval: '1hr' }],
    ['functions.invocation-stats', { interval: '1hr', sql: 'select * from agg' }],
  ])('is refused where a parameter of %s names another project: %j', async (endpoint, more) => {
    for (const project of [birch.project, 'tenant-nobody', 'Tenant-Alder', `${alder.project} `]) {
      const { status, body, text } = await ask(tokens.alder, endpoint, { project, ...more });
      expect({ status, code: body.code, errors: body.errors }).toEqual({
        status: 403,
        code: 'auth.project',
        errors: [{ parameter: 'project', value: project, allowed: [alder.project] }],
      });
      expect(tagsIn(text)).toEqual([]);
    }
    expect((await ask(tokens.both, endpoint, { project: birch.project, ...more })).status).toBe(200);
    expect((await ask(tokens.both, endpoint, { project: cedar.project, ...more })).body.errors).toMatchObject([
      { allowed: [alder.project, birch.project] },
    ]);
  });

  it('counts requests of its own projects only, whatever the pattern finds', async () => {
    for (const pattern of ['.', '^', 'https', `${birch.tag}|${cedar.tag}|${alder.tag}`]) {
      const parameters = { project: pattern, interval: 'daily' };
      const counts = await Promise.all(
        [tokens.alder, tokens.birch, tokens.both, tokens.all].map(async (token) =>
          counted(await ask(token, 'usage.api-counts', parameters)),
        ),
      );
      expect([pattern, counts]).toEqual([pattern, [9, 9, 18, 27]]);
      const scanned = await ask(tokens.both, 'usage.api-counts', parameters);
      expect(scanned.body.meta.query.rows_scanned).toBe(18);
    }
    const other = await ask(tokens.alder, 'usage.api-counts', { project: birch.tag, interval: 'daily' });
    expect({ status: other.status, rows: other.body.result }).toEqual({ status: 200, rows: [] });
    const sql = 'select sum(total_rest_requests) as n from chart_counts';
    expect(counted(await ask(tokens.alder, 'usage.api-counts', { project: '.', interval: 'daily', sql }))).toBe(9);
  });

  it('reads its own events only where the stored query forgot the project', async () => {
    const idsOf = ({ body }: Answer) => body.result.map(({ id }) => String(id));
    expect(tagsIn(idsOf(await ask(tokens.alder, 'open.all', {})).join())).toEqual([alder.tag]);
    expect(tagsIn(idsOf(await ask(tokens.both, 'open.all', {})).join())).toEqual([alder.tag, birch.tag]);
    expect(tagsIn(idsOf(await ask(tokens.all, 'open.all', {})).join())).toEqual([alder.tag, birch.tag, cedar.tag]);
    for (const sql of [
      'select id from edge_logs',
      `select id from edge_logs where project = '${birch.project}' or true`,
      'select a.id || b.id || c.id as id from edge_logs a, function_logs b, both_logs c',
      'select (select max(id) from both_logs) as id',
      'select string_agg(id) as id from both_logs',
      'select (select string_agg(f.id) from function_logs f where f.metadata.n > e.metadata.n) as id from edge_logs e',
      'with edge_logs as (select id from both_logs) select id from edge_logs union all select id from function_logs',
      'select id from edge_logs order by timestamp desc limit 3',
      'select lag(id) over (order by id) as id from both_logs',
    ]) {
      const ids = idsOf(await ask(tokens.birch, 'open.all', { sql }));
      expect([sql, tagsIn(ids.join())]).toEqual([sql, [birch.tag]]);
    }
    const none = await ask(tokens.alder, 'open.all', {
      sql: `select count(*) as n from edge_logs where project = '${birch.project}'`,
    });
    expect(none.body.result).toEqual([{ n: 0 }]);
  });

  it('finds its own events only by a list that names others', async () => {
    const answer = await ask(tokens.alder, 'open.by-list', { first: alder.project, second: birch.project });
    expect(tagsIn(answer.text)).toEqual([alder.tag]);
    expect(
      (await ask(tokens.alder, 'open.by-list', { first: birch.project, second: cedar.project })).body.result,
    ).toEqual([]);
  });

  it('sees nothing of events that arrive while it asks', async () => {
    const late = plainEvents(birch, now + 1_000_000, 3);
    for (const [stream, events] of late) await service.send(stream, events);
    const { body } = await ask(tokens.alder, 'open.all', { sql: 'select count(*) as n from both_logs' });
    expect(body.result).toEqual([{ n: 18 }]);
    expect(body.meta.query.rows_scanned).toBe(18);
  });

  it.each(everyTail)('sees no other project in a tail of %s', async (format) => {
    const sql = 'select id, event_message, metadata, 1 as n from edge_logs';
    const open = (endpoint: string, parameters: Readonly<Record<string, string>>) =>
      tailOf(service.url, endpoint, tokens.alder, { format, ...parameters });
    await expect(open('logs.all', { sql, project: birch.project })).rejects.toThrow('403');
    const tails = await Promise.all([
      open('open.all', {}),
      open('open.all', { sql }),
      open('logs.all', { sql, project: alder.project }),
    ]);
    // Equal batches are stored once.
    const count = format === 'sse' ? 2 : 3;
    for (const tenant of [birch, cedar, alder]) {
      const events = plainEvents(tenant, now, count).get('edge_logs') ?? [];
      await service.send('edge_logs', events);
    }
    for (const tail of tails) {
      await expect.poll(() => tail.rows().length).toBe(count);
      expect(tagsIn(tail.shown)).toEqual([alder.tag]);
      tail.leave();
    }
  });
});

describe(onEngine('what a restricted token sends'), () => {
  const event = (project: string | null, id: string, place: 'top' | 'metadata' = 'top') => ({
    id,
    timestamp: now,
    ...(project === null ? {} : place === 'top' ? { project } : { metadata: { project, project_ref: project } }),
  });
  const mine = 'sender-own';
  const lines = (events: readonly object[]) => events.map((each) => JSON.stringify(each)).join('\n');
  let token: string;
  const send = (stream: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>, query = '') =>
    fetch(`${service.url}/api/logs?source=${stream}${query}`, {
      method: 'POST',
      headers: { 'x-api-key': token, ...headers },
      body,
    });
  const json = { 'content-type': 'application/json' };

  beforeAll(async () => {
    token = await service.makeToken(['ingest', 'query'], [mine, 'sender-second']);
    service.clock.advanceMs(1000);
  });

  const batch = (tag: string) => [
    event(mine, `${tag}-0`),
    event(birch.project, `${tag}-1`),
    event('sender-second', `${tag}-2`),
    event('SENDER-OWN', `${tag}-3`),
  ];
  const bodies: readonly (readonly [
    string,
    (tag: string) => string | Uint8Array<ArrayBuffer>,
    Record<string, string>,
  ])[] = [
    ['a JSON array', (tag) => JSON.stringify(batch(tag)), json],
    ['an object with a batch', (tag) => JSON.stringify({ batch: batch(tag) }), json],
    [
      'several JSON values',
      (tag) =>
        batch(tag)
          .map((each) => JSON.stringify(each))
          .join(''),
      json,
    ],
    ['NDJSON', (tag) => lines(batch(tag)), { 'content-type': 'application/x-ndjson' }],
    [
      'NDJSON, compressed',
      (tag) => new Uint8Array(gzipSync(lines(batch(tag)))),
      { 'content-type': 'application/jsonl', 'content-encoding': 'gzip' },
    ],
  ];

  it.each(bodies)('as %s is taken event by event', async (title, body, headers) => {
    const response = await send('edge_logs', body(title), headers);
    const answer = (await response.json()) as {
      accepted: number;
      rejected: { index: number; code: string; message: string }[];
    };
    expect({ status: response.status, accepted: answer.accepted }).toEqual({ status: 200, accepted: 2 });
    expect(answer.rejected.map(({ index, code }) => [index, code])).toEqual([
      [1, 'event.project_forbidden'],
      [3, 'event.project_forbidden'],
    ]);
    expect(answer.rejected[0]?.message).toContain('"sender-own", "sender-second"');
    const ids = async (project: string) =>
      (
        await service.call('logs.all', {
          project,
          sql: `select id from edge_logs where starts_with(id, '${title}-') order by id`,
        })
      ).body.result;
    expect(await ids(mine)).toEqual([{ id: `${title}-0` }]);
    expect(await ids('sender-second')).toEqual([{ id: `${title}-2` }]);
    for (const project of [birch.project, 'SENDER-OWN']) expect(await ids(project)).toEqual([]);
  });

  it('of another project alone, or strictly, is refused whole', async () => {
    const alone = await send('edge_logs', JSON.stringify(event(birch.project, 'alone')), json);
    expect([alone.status, ((await alone.json()) as { code: string }).code]).toEqual([422, 'ingest.batch_invalid']);
    const strict = await send('edge_logs', JSON.stringify(batch('strict')), json, '&strict=true');
    expect(strict.status).toBe(422);
    const stored = await service.call('logs.all', {
      project: mine,
      sql: "select id from edge_logs where id like 'strict%'",
    });
    expect(stored.body.result).toEqual([]);
  });

  it.each(streams)('to %s counts by the field that the stream is matched by', async (stream) => {
    const isMatchedInside = ['function_edge_logs', 'function_logs', 'realtime_logs', 'storage_logs'].includes(stream);
    const hidden = { ...event(mine, 'hidden'), metadata: { project: birch.project, project_ref: birch.project } };
    const inside = { ...event(birch.project, 'inside'), metadata: { project: mine, project_ref: mine } };
    const response = await send(stream, JSON.stringify([hidden, inside, event(null, 'none')]), json);
    const answer = (await response.json()) as { rejected: { index: number; code: string }[] };
    expect(answer.rejected.map(({ index, code }) => [index, code])).toEqual([
      [isMatchedInside ? 0 : 1, 'event.project_forbidden'],
      [2, 'event.project_missing'],
    ]);
  });
});
