import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, day, hour, iso, minute, second } from '../../support/instants.ts';
import { type Answer, allowedNames, startWholeService, type WholeService } from '../../support/wholeService.ts';

const baseId = 'd9a2e433-3286-44d9-a3b2-96b88c809d76';
const variantId = '6827ba9b-37ca-425d-8cde-4f10a8dd70f3';

/** Not on any round time, so that an edge that is cut to milliseconds or days shows. */
const now = at('2026-05-01T12:34:56.789Z') + 123;

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ nowMicros: now });
});
afterAll(() => service.close());

const ids = ({ body }: Answer) => body.result.map((row) => row.id);

interface SentEvent {
  readonly id: string;
  readonly timestamp: number;
  readonly event_message: string;
  readonly project?: string;
  readonly metadata?: object;
}

const event = (project: string, id: string, timestamp: number, more: Partial<SentEvent> = {}): SentEvent => ({
  id,
  timestamp,
  event_message: `message of ${id}`,
  project,
  ...more,
});

/** A retention tier that is wide enough for all data here, so that both definitions must answer alike. */
const definitions = [
  ['logs.all', baseId, {}],
  ['the retention variant', variantId, { project_tier: 'PAYG' }],
] as const;

describe.each(definitions)('%s', (_, id, tier) => {
  const call = (parameters: Record<string, string>) => service.call(id, { ...tier, ...parameters });

  describe('time bounds', () => {
    const bound = at('2026-05-01T10:00:00Z');
    const project = `bounds-${id}`;
    beforeAll(() =>
      service.send(
        'edge_logs',
        [-1, 0, 1].map((offset) => event(project, `at${offset}`, bound + offset)),
      ),
    );

    it('leaves out the event exactly at the start and keeps the next microsecond', async () => {
      expect(ids(await call({ project, iso_timestamp_start: iso(bound) }))).toEqual(['at1']);
    });

    it('keeps the event exactly at the end and leaves out the next microsecond', async () => {
      expect(ids(await call({ project, iso_timestamp_end: iso(bound) }))).toEqual(['at0', 'at-1']);
    });

    it('applies both bounds together', async () => {
      const both = { project, iso_timestamp_start: iso(bound - 1), iso_timestamp_end: iso(bound) };
      expect(ids(await call(both))).toEqual(['at0']);
    });

    it('takes absent and empty bounds as no bound', async () => {
      const all = ['at1', 'at0', 'at-1'];
      expect(ids(await call({ project }))).toEqual(all);
      expect(ids(await call({ project, iso_timestamp_start: '', iso_timestamp_end: '' }))).toEqual(all);
    });

    it('answers a start at or after the end with no rows, not with an error', async () => {
      for (const start of [bound, bound + 1, bound + day]) {
        const answer = await call({ project, iso_timestamp_start: iso(start), iso_timestamp_end: iso(bound) });
        expect({ status: answer.status, rows: answer.body.result }).toEqual({ status: 200, rows: [] });
        expect(answer.body.meta).toMatchObject({ row_count: 0, truncated: false });
      }
    });

    it.each([
      '2026-05-01T10:00:00Z',
      '2026-05-01T10:00:00+00:00',
      '2026-05-01T10:00:00-00:00',
      '2026-05-01T12:00:00+02:00',
      '2026-05-01T04:30:00-05:30',
      '2026-05-02T00:00:00+14:00',
      '2026-05-01T10:00:00',
      '2026-05-01 10:00:00',
      '2026-05-01 10:00:00Z',
      '2026-05-01 12:00:00+02:00',
      '2026-05-01T12:00:00 02:00',
      '2026-05-01T10:00:00.0Z',
      '2026-05-01T10:00:00.000Z',
      '2026-05-01T10:00:00.000000Z',
      '2026-05-01T10:00:00.000000999Z',
      '2026-05-01T10:00:00.000000',
    ])('reads %s as 10:00:00 UTC exactly', async (text) => {
      expect(ids(await call({ project, iso_timestamp_start: text }))).toEqual(['at1']);
      expect(ids(await call({ project, iso_timestamp_end: text }))).toEqual(['at0', 'at-1']);
    });

    it('reads a plus sign that arrived as a space in the offset', async () => {
      const raw = `project=${project}&project_tier=PAYG&iso_timestamp_start=2026-05-01T12:00:00+02:00`;
      expect(ids(await service.call(id, raw))).toEqual(['at1']);
    });

    it('reads a date alone as its midnight', async () => {
      const name = `midnight-${id}`;
      const midnight = at('2026-04-30T00:00:00Z');
      await service.send('edge_logs', [event(name, 'on', midnight), event(name, 'after', midnight + 1)]);
      expect(ids(await call({ project: name, iso_timestamp_start: '2026-04-30' }))).toEqual(['after']);
      expect(ids(await call({ project: name, iso_timestamp_end: '2026-04-30' }))).toEqual(['on']);
    });

    it.each([
      'yesterday',
      '2026-13-01T00:00:00Z',
      '2026-02-30',
      '2026-05-01T24:00:01Z',
      '2026-05-01T10:61:00Z',
      '1777629600',
      '1777629600000000',
      '2026-05-01T10:00:00+25:00',
      '2026-05-01T10:00:00.0000000001Z',
      "2026-05-01' or '1'='1",
      'null',
    ])('refuses the bound %s with 400 that names the parameter', async (text) => {
      for (const name of ['iso_timestamp_start', 'iso_timestamp_end']) {
        const { status, body } = await call({ project, [name]: text });
        expect({ status, code: body.code }).toEqual({ status: 400, code: 'parameter.invalid' });
        expect(body.errors[0]).toMatchObject({ parameter: name });
      }
    });
  });

  describe('rows', () => {
    it('come newest first, those of one time by arrival, later first, whatever their ids', async () => {
      const project = `ties-${id}`;
      const time = now - hour;
      await service.send('edge_logs', [
        event(project, 'b', time),
        event(project, 'older', time - 1),
        event(project, 'c', time),
        event(project, 'B', time),
        event(project, 'newer', time + 1),
        event(project, 'a', time),
      ]);
      await service.send('edge_logs', [event(project, 'c2', time)]);
      const arrived = ['b', 'c', 'B', 'a', 'c2'];
      const newest = ['newer', ...arrived.toReversed(), 'older'];
      expect(ids(await call({ project }))).toEqual(newest);
      const caller = await call({ project, sql: 'select id from edge_logs order by timestamp desc limit 4' });
      expect(ids(caller)).toEqual(newest.slice(0, 4));
      expect(ids(await call({ project, sql: 'select id from edge_logs order by timestamp' }))).toEqual([
        'older',
        ...arrived,
        'newer',
      ]);
      // An order that is written in full is kept.
      expect(ids(await call({ project, sql: 'select id from edge_logs order by timestamp desc, id desc' }))).toEqual([
        'newer',
        'c2',
        'c',
        'b',
        'a',
        'B',
        'older',
      ]);
      expect(ids(await call({ project, lql: 'f:edge_logs message' }))).toEqual(newest);
      const redacting = await service.makeToken(['query'], undefined, true);
      for (const query of [
        {},
        { lql: 'f:edge_logs message' },
        { sql: 'select id from edge_logs order by timestamp desc' },
      ]) {
        const redacted = await service.call(
          id,
          { ...tier, project, ...query },
          { headers: { 'x-api-key': redacting } },
        );
        expect(ids(redacted)).toEqual(newest);
      }
    });

    it('of one microsecond stand in the order of their nanoseconds, else as the lines of their batch did', async () => {
      const project = `trace-${id}`;
      const second = '2026-05-01T11:00:00.123456';
      const line = (name: string, timestamp: string) => JSON.stringify({ ...event(project, name, 0), timestamp });
      const lines = ['x', 'at b', 'at a', 'cause'].map((name) => line(name, `${second}Z`));
      const nanos = [line('late', `${second}900Z`), line('early', `${second}100Z`)];
      const sent = await fetch(`${service.url}/api/logs?source=edge_logs`, {
        method: 'POST',
        headers: { 'x-api-key': service.adminToken, 'content-type': 'application/x-ndjson' },
        body: [...lines, ...nanos].join('\n'),
      });
      expect(await sent.json()).toMatchObject({ accepted: 6 });
      const timeUnixNano = (nano: number) =>
        String(BigInt(at('2026-05-01T11:00:00.123Z') + 456) * 1000n + BigInt(nano));
      const record = (body: string, nano: number) => ({
        timeUnixNano: timeUnixNano(nano),
        body: { stringValue: body },
        attributes: [{ key: 'project', value: { stringValue: project } }],
      });
      const logRecords = [record('o3', 3), record('o1', 1), record('o2 first', 2), record('o2 second', 2)];
      const exported = await fetch(`${service.url}/v1/logs?source=edge_logs`, {
        method: 'POST',
        headers: { 'x-api-key': service.adminToken, 'content-type': 'application/json' },
        body: JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }),
      });
      expect(exported.status).toBe(200);
      const sql = 'select event_message as m from edge_logs order by timestamp';
      const rows = (await call({ project, sql })).body.result.map(({ m }) => String(m).replace('message of ', ''));
      expect(rows).toEqual([
        ...['x', 'at b', 'at a', 'cause', 'early', 'late'],
        ...['o1', 'o2 first', 'o2 second', 'o3'],
      ]);
    });

    it('are at most 100, and meta says whether the limit of the stored query cut', async () => {
      const project = `limit-${id}`;
      const names = Array.from({ length: 101 }, (_, i) => `row-${String(i).padStart(3, '0')}`);
      const events = names.map((name, i) => event(project, name, now - hour + i * second));
      await service.send('edge_logs', events.slice(1));
      const whole = await call({ project });
      expect(whole.body.meta).toMatchObject({ row_count: 100, truncated: false });
      expect(whole.body.meta).not.toHaveProperty('truncated_by');
      await service.send('edge_logs', events.slice(0, 1));
      const cut = await call({ project });
      expect(cut.body.meta).toMatchObject({ row_count: 100, truncated: true, truncated_by: 'query_limit' });
      expect(ids(cut)).toEqual(names.slice(1).reverse());
    });

    it('keep the 100 newest where the cut falls among equal times', async () => {
      const project = `cut-in-ties-${id}`;
      const names = Array.from({ length: 150 }, (_, i) => `tie-${String(i).padStart(3, '0')}`);
      await service.send(
        'edge_logs',
        names.map((name) => event(project, name, now - minute)),
      );
      expect(ids(await call({ project }))).toEqual(names.slice(50).reverse());
    });

    it('dated in the future show without an end bound', async () => {
      const project = `future-${id}`;
      await service.send('edge_logs', [event(project, 'now', now), event(project, 'later', now + 23 * hour)]);
      expect(ids(await call({ project }))).toEqual(['later', 'now']);
      expect(ids(await call({ project, iso_timestamp_end: iso(now) }))).toEqual(['now']);
    });

    it('of the project only, matched exactly and with case', async () => {
      const names = [`Case-${id}`, `case-${id}`, `case-${id} `, `case-${id}%`, `case-${id}'`];
      for (const name of names) await service.send('edge_logs', [event(name, `row of ${name}`, now - second)]);
      for (const name of names) expect(ids(await call({ project: name }))).toEqual([`row of ${name}`]);
      expect(ids(await call({ project: 'case-%' }))).toEqual([]);
    });

    it('of the edge request stream only', async () => {
      const project = `streams-${id}`;
      for (const stream of streams) {
        await service.send(stream.name, [event(project, stream.name, now - second)]);
      }
      expect(ids(await call({ project }))).toEqual(['edge_logs']);
    });

    it('without metadata appear, with null', async () => {
      const project = `bare-${id}`;
      await service.send('edge_logs', [event(project, 'bare', now - second)]);
      expect((await call({ project })).body.result).toEqual([
        { id: 'bare', timestamp: iso(now - second), event_message: 'message of bare', metadata: null },
      ]);
    });
  });

  it.each([{}, { project: '' }])('refuses a call without a project: %o', async (parameters) => {
    const { status, body } = await call(parameters);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'parameter.missing' });
    expect(body.errors).toEqual([expect.objectContaining({ parameter: 'project' })]);
  });

  it('shows a caller exactly the nine tables, each with exactly four columns', async () => {
    const project = `tables-${id}`;
    for (const { name, metadata } of streams) {
      await service.send(name, [event(project, name, now - second, { metadata: { ...metadata, shown: name } })]);
    }
    for (const { name } of streams) {
      const { body } = await call({ project, sql: `select * from ${name}` });
      expect(body.meta.columns).toEqual([
        { name: 'timestamp', type: 'TIMESTAMP' },
        { name: 'id', type: 'STRING' },
        { name: 'event_message', type: 'STRING' },
        { name: 'metadata', type: 'JSON' },
      ]);
      expect(body.result).toEqual([
        {
          timestamp: iso(now - second),
          id: name,
          event_message: `message of ${name}`,
          metadata: expect.objectContaining({ shown: name }),
        },
      ]);
    }
    const refused = await call({ project, sql: 'select * from nothing_such' });
    expect(allowedNames(refused.body)).toEqual(streams.map(({ name }) => name).sort());
  });

  it('applies the time bounds to each of the nine tables', async () => {
    const project = `nine-bounds-${id}`;
    const bound = now - hour;
    for (const { name } of streams) {
      await service.send(
        name,
        [-1, 0, 1, 2].map((offset) => event(project, `${name} ${offset}`, bound + offset)),
      );
    }
    const bounds = { iso_timestamp_start: iso(bound - 1), iso_timestamp_end: iso(bound + 1) };
    for (const { name } of streams) {
      const answer = await call({ project, ...bounds, sql: `select id from ${name} order by timestamp` });
      expect(ids(answer)).toEqual([`${name} 0`, `${name} 1`]);
    }
  });

  it('matches each table by the field of its stream, which wins over the top-level project', async () => {
    for (const { name, field } of streams) {
      const [outer, inner] = [`outer-${name}-${id}`, `inner-${name}-${id}`];
      const members = { project: inner, project_ref: inner };
      await service.send(name, [event(outer, 'row', now - second, { metadata: members })]);
      const found = field === 'project' ? outer : inner;
      const other = field === 'project' ? inner : outer;
      const sql = `select id from ${name}`;
      expect({ name, rows: ids(await call({ project: found, sql })) }).toEqual({ name, rows: ['row'] });
      expect({ name, rows: ids(await call({ project: other, sql })) }).toEqual({ name, rows: [] });
    }
  });
});

const streams = [
  { name: 'edge_logs', field: 'project', metadata: {} },
  { name: 'database_logs', field: 'project', metadata: {} },
  { name: 'function_edge_logs', field: 'metadata.project_ref', metadata: {} },
  { name: 'function_logs', field: 'metadata.project_ref', metadata: {} },
  { name: 'auth_logs', field: 'project', metadata: {} },
  { name: 'realtime_logs', field: 'metadata.project', metadata: {} },
  { name: 'storage_logs', field: 'metadata.project', metadata: {} },
  { name: 'rest_api_logs', field: 'project', metadata: {} },
  { name: 'pooler_logs', field: 'project', metadata: {} },
] as const;
