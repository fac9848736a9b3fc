import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, hour, iso } from '../../support/instants.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

const now = at('2026-05-01T12:34:56.789Z');
const ids = {
  'logs.all': 'd9a2e433-3286-44d9-a3b2-96b88c809d76',
  'functions.invocation-stats': '77eeb93b-4d5e-467a-96f7-53c59097216c',
  'usage.api-counts': '237f3997-c471-488d-af16-2dc9a4cda4a0',
} as const;

const metadata = {
  request: {
    method: 'GET',
    path: '/rest/v1/x',
    url: 'https://alpha.example.co/rest/v1/x',
    headers: { x_real_ip: '203.0.113.7' },
    empty: {},
    list: [1, { deep: { n: 2 } }],
  },
  response: { status_code: 200 },
  big: 9_007_199_254_740_991,
  nothing: null,
};

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ nowMicros: now });
  await service.send('edge_logs', [
    { id: 'one', timestamp: now - hour + 1, event_message: 'tab\t"quoted" ünï', project: 'alpha', metadata },
  ]);
  await service.send('function_edge_logs', [
    { id: 'f', timestamp: now - hour + 1, project: 'alpha', metadata: { execution_time_ms: 12.5, function_id: 'f' } },
  ]);
});
afterAll(() => service.close());

const calls = [
  ['logs.all', { project: 'alpha' }],
  ['functions.invocation-stats', { project: 'alpha', interval: '1day' }],
  ['usage.api-counts', { project: 'alpha', interval: 'daily' }],
] as const;

describe.each(calls)('%s', (name, parameters) => {
  it('answers alike by name and by id, in any spelling of the id, over GET, JSON and form bodies', async () => {
    const expected = (await service.call(name, parameters)).body;
    expect(expected.result.length).toBeGreaterThan(0);
    expect(expected.meta.endpoint).toEqual({ id: ids[name], name, version: 1 });
    for (const path of [name, ids[name], ids[name].toUpperCase()]) {
      for (const method of ['GET', 'POST', 'FORM'] as const) {
        const { status, body } = await service.call(path, parameters, { method });
        expect({ path, method, status, result: body.result }).toEqual({
          path,
          method,
          status: 200,
          result: expected.result,
        });
        expect(body.meta.columns).toEqual(expected.meta.columns);
      }
    }
  });

  it('gives every row its columns in the order of meta.columns, in both profiles', async () => {
    for (const profile of ['plain', 'records']) {
      const { body } = await service.call(name, parameters, { headers: { 'svc-endpoint-values': profile } });
      const order = body.meta.columns.map((column) => column.name);
      for (const row of body.result) expect(Object.keys(row)).toEqual(order);
      expect(body.meta.row_count).toBe(body.result.length);
    }
  });

  it('ignores parameters that it does not declare, and lists them', async () => {
    const { status, body } = await service.call(name, { ...parameters, ref: 'abc', tz: 'x' });
    expect(status).toBe(200);
    expect(body.meta.notices.map(({ code, parameter }) => `${code} ${parameter}`)).toEqual([
      'parameter.unknown ref',
      'parameter.unknown tz',
    ]);
  });

  it('refuses a parameter that is given twice, in the URL or in the body', async () => {
    const query = new URLSearchParams(parameters).toString();
    for (const more of ['project=alpha', 'project=beta', 'project=']) {
      const { status, body } = await service.call(name, `${query}&${more}`);
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'parameter.duplicate' });
    }
  });

  it('never answers raw rows where redaction is asked for', async () => {
    for (const value of ['true', 'TRUE', 'True']) {
      const answer = await service.call(name, parameters, { headers: { 'svc-endpoint-redact-pii': value } });
      expect(answer.status).toBe(200);
      expect(answer.text).not.toContain('203.0.113.7');
      expect(answer.body.result.length).toBeGreaterThan(0);
      expect(answer.body.meta).toMatchObject({ redaction: { applied: true } });
    }
    for (const value of ['false', '', 'yes']) {
      const { status, body } = await service.call(name, parameters, { headers: { 'svc-endpoint-redact-pii': value } });
      expect(status).toBe(200);
      expect(body.meta).toMatchObject({ redaction: { applied: false } });
    }
  });
});

describe('the records profile', () => {
  const records = { headers: { 'svc-endpoint-values': 'records' } };

  it('writes every object of metadata as an array of one, at every level, and times as microseconds', async () => {
    const { body } = await service.call('logs.all', { project: 'alpha' }, records);
    expect(body.result).toEqual([
      {
        id: 'one',
        timestamp: now - hour + 1,
        event_message: 'tab\t"quoted" ünï',
        metadata: [
          {
            request: [
              {
                method: 'GET',
                path: '/rest/v1/x',
                url: 'https://alpha.example.co/rest/v1/x',
                headers: [{ x_real_ip: '203.0.113.7' }],
                empty: [{}],
                list: [1, { deep: [{ n: 2 }] }],
              },
            ],
            response: [{ status_code: 200 }],
            big: 9_007_199_254_740_991,
            nothing: null,
          },
        ],
      },
    ]);
  });

  it('keeps a row, an UNNEST alias and a STRUCT as objects, and wraps their members', async () => {
    const sql =
      'select t as whole, r as request, struct(m.response as response) as made from edge_logs as t cross join unnest(t.metadata) as m cross join unnest(m.request) as r';
    const { body } = await service.call('logs.all', { project: 'alpha', sql }, records);
    expect(body.result[0]).toMatchObject({
      whole: { id: 'one', timestamp: now - hour + 1, metadata: [{ response: [{ status_code: 200 }] }] },
      request: { method: 'GET', headers: [{ x_real_ip: '203.0.113.7' }] },
      made: { response: [{ status_code: 200 }] },
    });
  });

  it('shows JSON functions plain objects', async () => {
    const sql = `select to_json_string(metadata) as text, json_value(metadata, '$.request.method') as method from edge_logs`;
    const { body } = await service.call('logs.all', { project: 'alpha', sql }, records);
    expect(JSON.parse(String(body.result[0]?.text))).toEqual(metadata);
    expect(body.result[0]?.method).toBe('GET');
  });

  it('writes the buckets of both statistics as microseconds and as DATETIME', async () => {
    const stats = await service.call('functions.invocation-stats', { project: 'alpha', interval: '1day' }, records);
    expect(stats.body.result[0]?.timestamp).toBe(at('2026-05-01T11:00:00Z'));
    const counts = await service.call('usage.api-counts', { project: 'alpha', interval: 'daily' }, records);
    expect(counts.body.result[0]?.timestamp).toBe('2026-05-01T00:00:00');
  });
});

describe('the plain profile', () => {
  it('writes metadata as it was sent and times as RFC 3339 with six digits', async () => {
    const { body } = await service.call('logs.all', { project: 'alpha' });
    expect(body.result).toEqual([
      { id: 'one', timestamp: iso(now - hour + 1), event_message: 'tab\t"quoted" ünï', metadata },
    ]);
  });

  it('keeps every digit of 64-bit integers inside records', async () => {
    const response = await fetch(`${service.url}/api/logs?source=database_logs`, {
      method: 'POST',
      headers: { 'x-api-key': service.adminToken, 'content-type': 'application/json' },
      body: `[{"id":"q","timestamp":${now},"project":"digits","metadata":{"parsed":{"query_id":-9223372036854775807,"x":[9223372036854775807]}}}]`,
    });
    expect(response.status).toBe(200);
    for (const profile of ['plain', 'records']) {
      const sql =
        'select metadata, p.query_id as query_id, cast(p.query_id as int64) as typed from database_logs t cross join unnest(t.metadata) m cross join unnest(m.parsed) p';
      const { text } = await service.call(
        'logs.all',
        { project: 'digits', sql },
        { headers: { 'svc-endpoint-values': profile } },
      );
      expect(text).toContain('"query_id":-9223372036854775807');
      expect(text).toContain('"typed":-9223372036854775807');
      expect(text).toContain('9223372036854775807]');
    }
  });
});
