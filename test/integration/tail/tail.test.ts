import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at } from '../../support/instants.ts';
import { type Tailing, tailOf } from '../../support/tailing.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

const now = at('2026-05-01T12:00:00Z');
const endpoint = 'd7b34a9e-6d3c-4f0a-9d30-1c6f1c9a1c01';
const changing = 'd7b34a9e-6d3c-4f0a-9d30-1c6f1c9a1c02';
const query = `with logs as (
    select t.id, t.timestamp, t.event_message, t.metadata, t.project from sources.pooler_logs as t
    where @project is null or t.project = @project
  )
  select event_message as v from logs where @like is null or event_message like @like order by timestamp desc limit 10`;

let sent = 0;
const event = (project: string, event_message: string, metadata: object = {}) => ({
  id: `e${sent++}`,
  timestamp: new Date(now / 1000 - 1000).toISOString(),
  event_message,
  project,
  metadata,
});

describe('a tail', () => {
  let service: WholeService;
  let token: string;
  beforeAll(async () => {
    service = await startWholeService({ nowMicros: now });
    const parameters = { project: { type: 'string' }, like: { type: 'string' } };
    await service.define({ id: endpoint, name: 'tails.all', query, parameters, sandbox: true });
    await service.define({ id: changing, name: 'tails.changing', query, parameters });
    token = await service.makeToken(['query']);
  });
  let isClosed = false;
  afterAll(async () => {
    if (!isClosed) await service.close();
  });

  const tail = (parameters: Readonly<Record<string, string>> = {}, by = token, headers = {}) =>
    tailOf(service.url, endpoint, by, parameters, headers);
  const send = (project: string, ...messages: string[]) =>
    service.send(
      'pooler_logs',
      messages.map((message) => event(project, message)),
    );
  const values = (opened: Tailing) => opened.rows().map(({ v }) => v);
  const end = (opened: Tailing) => opened.parts.find((part) => part.event === 'end')?.data;
  const codes = (opened: Tailing) =>
    ((opened.parts[0]?.data.notices ?? []) as { code: string }[]).map(({ code }) => code);
  const request = (parameters: Readonly<Record<string, string>> | string, init: RequestInit = {}, by = token) =>
    fetch(`${service.url}/api/endpoints/tail/${endpoint}?${new URLSearchParams(parameters)}`, {
      ...init,
      headers: { 'x-api-key': by, ...init.headers },
    });
  const refusal = async (parameters: Readonly<Record<string, string>>) => {
    const response = await request(parameters);
    const { code, errors } = (await response.json()) as { code: string; errors: readonly { token?: string }[] };
    return [response.status, code, errors[0]?.token];
  };

  it('gives the rows of new events only, in the order of arrival, and says what does not apply', async () => {
    await send('alder', 'before');
    const opened = await tail({ project: 'alder' });
    await send('alder', 'one', 'two');
    await send('birch', 'of another project');
    await send('alder', 'three');
    await expect.poll(() => values(opened)).toEqual(['one', 'two', 'three']);
    expect(opened.parts[0]).toMatchObject({ event: 'start', data: { columns: [{ name: 'v', type: 'STRING' }] } });
    expect(codes(opened)).toEqual(['tail.order_dropped', 'tail.limit_dropped']);
    expect(opened.parts.every(({ id }) => /^[\w-]{22}$/.test(id ?? ''))).toBe(true);
    opened.leave();
  });

  it('applies parameters, and caller queries in both languages', async () => {
    const like = await tail({ like: '%needle%' });
    const sql = await tail({
      sql: 'select event_message as v, m.n from logs cross join unnest(metadata) as m where m.n > 1',
    });
    const lql = await tail({ lql: 'f:logs needle s:event_message@v' });
    await service.send('pooler_logs', [
      event('alder', 'a needle', { n: 1 }),
      event('birch', 'hay', { n: 2 }),
      event('birch', 'more needles', { n: 3 }),
    ]);
    await expect.poll(() => values(like)).toEqual(['a needle', 'more needles']);
    await expect.poll(() => values(lql)).toEqual(['a needle', 'more needles']);
    await expect
      .poll(() => sql.rows())
      .toEqual([
        { v: 'hay', n: 2 },
        { v: 'more needles', n: 3 },
      ]);
    for (const opened of [like, sql, lql]) opened.leave();
  });

  it('gives each row of UNNEST an ID of its own, and goes on after any of them', async () => {
    const sql = 'select event_message as v, item from logs cross join unnest(json_value_array(metadata.items)) as item';
    const opened = await tail({ sql });
    await service.send('pooler_logs', [
      event('alder', 'x', { items: ['a', 'b', 'c'] }),
      event('alder', 'y', { items: ['d'] }),
    ]);
    await expect.poll(() => opened.rows().map(({ item }) => item)).toEqual(['a', 'b', 'c', 'd']);
    opened.leave();
    for (const [n, { id = '' }] of opened.parts.filter((part) => part.event === 'row').entries()) {
      const resumed = await tail({ sql, last_event_id: id });
      await expect.poll(() => resumed.rows().map(({ item }) => item)).toEqual(['a', 'b', 'c', 'd'].slice(n + 1));
      resumed.leave();
    }
  });

  it('goes on after the header if the URL still has an older ID, as if a browser connects again', async () => {
    const opened = await tail();
    await send('alder', 'seen first', 'seen last');
    await expect.poll(() => values(opened)).toEqual(['seen first', 'seen last']);
    opened.leave();
    const [older] = opened.parts.flatMap(({ event: kind, id }) => (kind === 'row' && id !== undefined ? [id] : []));
    const headers = { 'last-event-id': opened.lastId ?? '' };
    const resumed = await tail({ last_event_id: older ?? '' }, token, headers);
    await send('alder', 'new');
    await expect.poll(() => values(resumed)).toEqual(['new']);
    resumed.leave();
  });

  it('goes on after the last ID without loss or repetition, and reports a gap for any other ID', async () => {
    const first = await tail({ project: 'cedar' });
    await send('cedar', 'one', 'two');
    await expect.poll(() => values(first)).toEqual(['one', 'two']);
    first.leave();
    await send('cedar', 'three', 'four');
    const id = first.lastId ?? '';
    const second = await tail({ project: 'cedar' }, token, { 'last-event-id': id });
    await send('cedar', 'five');
    await expect.poll(() => values(second)).toEqual(['three', 'four', 'five']);
    second.leave();
    const gapOf = async (parameters: Readonly<Record<string, string>>) => {
      const opened = await tail(parameters);
      await expect.poll(() => opened.parts.length).toBe(2);
      opened.leave();
      return opened.parts[1]?.event === 'gap' ? opened.parts[1].data.reason : null;
    };
    const altered = `${id[0] === 'A' ? 'B' : 'A'}${id.slice(1)}`;
    expect(await gapOf({ project: 'cedar', last_event_id: altered })).toBe('unknown');
    expect(await gapOf({ project: 'alder', last_event_id: id })).toBe('unknown');
    expect(await gapOf({ project: 'cedar', last_event_id: 'nonsense' })).toBe('unknown');
    service.clock.advanceMs(15 * 60_000 - 1000);
    const late = await tail({ project: 'cedar', last_event_id: id });
    await expect.poll(() => values(late)).toEqual(['three', 'four', 'five']);
    late.leave();
    service.clock.advanceMs(2000);
    expect(await gapOf({ project: 'cedar', last_event_id: id })).toBe('expired');
  });

  it('is Server-Sent Events by default, which nothing on the way may hold back or compress', async () => {
    const leaving = new AbortController();
    const headers = { accept: 'text/event-stream', 'accept-encoding': 'gzip' };
    const response = await request({ project: 'dogwood' }, { headers, signal: leaving.signal });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': expect.stringContaining('no-store'),
      'x-accel-buffering': 'no',
    });
    expect(response.headers.get('content-encoding')).toBeNull();
    let text = '';
    const reading = (async () => {
      for await (const bytes of response.body ?? []) text += Buffer.from(bytes).toString();
    })().catch(() => undefined);
    await expect.poll(() => text).toContain('event: start');
    await send('dogwood', 'line\nbreak');
    await expect.poll(() => text).toContain('break');
    expect(text).toMatch(
      /^retry: 2750\n\nevent: start\nid: [\w-]{22}\ndata: \{.*\}\n\nid: [\w-]{22}\ndata: \{"v":"line\\nbreak"\}\n\n$/,
    );
    leaving.abort();
    await reading;
    const head = await request({ project: 'dogwood' }, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect((await request({}, { headers: { accept: 'text/csv' } })).status).toBe(406);
  });

  it('refuses queries whose rows do not each stem from one event, and names the construct', async () => {
    expect(await refusal({ sql: 'select count(*) as n from logs' })).toEqual([
      422,
      'tail.refused',
      'an aggregate function',
    ]);
    expect(await refusal({ sql: 'select id from logs group by id' })).toEqual([422, 'tail.refused', 'GROUP BY']);
    expect(await refusal({ sql: 'select a.id from logs a join logs b on a.id = b.id' })).toEqual([
      422,
      'tail.refused',
      'JOIN',
    ]);
    expect(await refusal({ page_size: '5' })).toEqual([400, 'parameter.invalid', undefined]);
    expect(await refusal({ dry_run: 'true' })).toEqual([400, 'parameter.invalid', undefined]);
    expect(await refusal({ stream: 'true' })).toEqual([400, 'parameter.invalid', undefined]);
    expect(await refusal({ format: 'csv' })).toEqual([406, 'request.not_acceptable', undefined]);
  });

  it('never shows a row of a project outside the token, whatever the query', async () => {
    const restricted = await service.makeToken(['query'], ['elm']);
    const stored = await tail({}, restricted);
    const sql = await tail({ sql: 'select event_message as v from logs where true or project = "fir"' }, restricted);
    const all = await tail({});
    await send('fir', 'not shown');
    await send('elm', 'shown');
    await expect.poll(() => values(all)).toEqual(['not shown', 'shown']);
    await expect.poll(() => values(stored)).toEqual(['shown']);
    await expect.poll(() => values(sql)).toEqual(['shown']);
    // The ID of a tail that sees more does not help one that sees less.
    const resumed = await tail({ last_event_id: all.lastId ?? '' }, restricted);
    await expect.poll(() => resumed.parts[1]).toMatchObject({ event: 'gap', data: { reason: 'unknown' } });
    for (const opened of [stored, sql, all, resumed]) opened.leave();
  });

  it('redacts rows, and the events that a caller query looks at', async () => {
    const redacted = await service.makeToken(['query'], ['ginkgo'], true);
    const stored = await tail({}, redacted);
    const caller = await tail({ sql: 'select event_message as v from logs' }, redacted);
    const looking = await tail(
      { sql: "select event_message as v from logs where event_message like '%jane%' or event_message = 'nothing'" },
      redacted,
    );
    await send('ginkgo', 'mail of jane.doe@example.com', 'nothing');
    await expect.poll(() => values(stored)).toHaveLength(2);
    await expect.poll(() => values(caller)).toHaveLength(2);
    for (const opened of [stored, caller]) {
      expect(values(opened)[0]).toMatch(/^mail of /);
      expect(JSON.stringify(opened.parts)).not.toContain('jane');
      expect(opened.parts[0]?.data).toMatchObject({ redaction: { applied: true } });
    }
    await expect.poll(() => values(looking)).toEqual(['nothing']);
    for (const opened of [stored, caller, looking]) opened.leave();
  });

  it('ends when its token is revoked, and when its endpoint changes or is deleted', async () => {
    const admin = (method: string, path: string, body?: object) =>
      fetch(`${service.url}${path}`, {
        method,
        headers: { 'x-api-key': service.adminToken, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const revoked = await service.makeToken(['query']);
    const ofToken = await tail({}, revoked);
    const lasting = await tail({});
    expect((await admin('DELETE', `/api/tokens/${revoked.slice(3, 15)}`)).status).toBe(200);
    await ofToken.ended;
    expect(end(ofToken)).toMatchObject({ code: 'auth.invalid', retryable: false });
    const changed = await tailOf(service.url, changing, token);
    expect((await admin('PATCH', `/api/endpoints/${changing}`, { max_rows: 7 })).status).toBe(200);
    await changed.ended;
    expect(end(changed)).toMatchObject({ code: 'tail.changed', retryable: true });
    const deleted = await tailOf(service.url, changing, token);
    expect((await admin('DELETE', `/api/endpoints/${changing}?allow_breaking=true`)).status).toBe(200);
    await deleted.ended;
    expect(end(deleted)).toMatchObject({ code: 'endpoint.unknown', retryable: false });
    await send('alder', 'still read');
    await expect.poll(() => values(lasting)).toEqual(['still read']);
    lasting.leave();
  });

  it('ends with the error of a row that cannot be computed', async () => {
    const opened = await tail({ sql: 'select 1 / cast(event_message as int64) as v from logs' });
    await send('alder', '2', '0');
    await opened.ended;
    expect(end(opened)).toMatchObject({ code: 'sql.data', retryable: false });
  });

  it('is one of ten of its token; others are refused, but not other tokens', async () => {
    const mine = await service.makeToken(['query']);
    const opened = await Promise.all(Array.from({ length: 10 }, () => tail({}, mine)));
    const refused = await request({}, {}, mine);
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true]);
    (await tail({})).leave();
    opened[0]?.leave();
    await expect
      .poll(async () => {
        try {
          (await tail({}, mine)).leave();
          return true;
        } catch {
          return false;
        }
      })
      .toBe(true);
    for (const each of opened) each.leave();
  });

  it('ends when the service shuts down, and says that it can go on', async () => {
    const opened = await tail();
    isClosed = true;
    await service.close();
    await opened.ended;
    expect(end(opened)).toMatchObject({ code: 'service.draining', retryable: true });
  });
});
