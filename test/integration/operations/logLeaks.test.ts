import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog, type Log } from '../../../src/observe/log.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

/** Stands in every value, and in nothing that the service says by itself. */
const mark = 'Quxblorp';
const markedNumber = '73195862';
const project = `${mark}-project`;

let folder: string;
let fd: number;
let log: Log;
let service: WholeService;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'logmill-leaks-'));
  fd = openSync(join(folder, 'log'), 'w');
  log = createLog({ level: 'debug', fd });
  service = await startWholeService({
    nowMicros: Date.UTC(2026, 4, 1, 12) * 1000,
    settings: { slowQueryMs: 1, tokenInUrl: true, queryTimeoutMs: 2000 },
    observe: log.observe,
  });
});
afterAll(async () => {
  await service.close();
  closeSync(fd);
  rmSync(folder, { recursive: true, force: true });
});

const lines = async (): Promise<readonly string[]> => {
  await log.flush();
  return readFileSync(join(folder, 'log'), 'utf8')
    .split('\n')
    .filter((line) => line !== '');
};

/** What callers send as SQL: right, wrong in every stage, and failing on values in every way that the engine has words for. */
const queries: readonly string[] = [
  `select '${mark}' as x, ${markedNumber} as n from edge_logs`,
  `select ${mark} from edge_logs`,
  `select * from ${mark}`,
  `selekt '${mark}'`,
  `select '${mark}`,
  `select ${mark}('a')`,
  `select cast('${mark}' as int64)`,
  `select cast(event_message as int64) from edge_logs`,
  `select cast(event_message as timestamp) from edge_logs`,
  `select parse_timestamp('%Y', event_message) from edge_logs`,
  `select parse_date('%F', '${mark}')`,
  `select parse_json(event_message) from edge_logs`,
  `select date(${markedNumber}, 1, 1)`,
  `select ${markedNumber} * 9223372036854775807 from edge_logs`,
  `select cast(length(event_message) * ${markedNumber} as int64) * 9223372036854775807 from edge_logs`,
  `select regexp_contains(event_message, '(${mark}') from edge_logs`,
  `select regexp_extract(event_message, concat('(', event_message)) from edge_logs`,
  `select regexp_replace(event_message, '(Qux)', '\\\\7') from edge_logs`,
  `select ${markedNumber} / (length(event_message) - length(event_message)) from edge_logs`,
  `select [1,2][offset(${markedNumber})] from edge_logs`,
  `select timestamp_add(timestamp, interval ${markedNumber}00000 day) from edge_logs`,
  `select format('%d', '${mark}')`,
  `select repeat(event_message, ${markedNumber}) from edge_logs`,
  `select (select event_message from edge_logs) from edge_logs`,
  `select net.ip_from_string(event_message) from edge_logs`,
  `select from_hex(event_message) from edge_logs`,
  `select from_base64(event_message) from edge_logs`,
  `select exp(${markedNumber}) from edge_logs`,
  `select error('${mark}')`,
  `select json_value(event_message, '${mark}') from edge_logs`,
  `select json_value(metadata, '$.${mark}[') from edge_logs`,
  `select generate_array(1, ${markedNumber}0000) from edge_logs`,
  `select count(*) from unnest(generate_array(1,90000)) a cross join unnest(generate_array(1,90000)) b cross join unnest(generate_array(1,90000)) c where mod(a*b*c,${markedNumber}) = 1`,
];

describe('log lines', () => {
  it('never hold values, queries, rows or tokens, whatever is called and however it fails', async () => {
    const tokens = [
      service.adminToken,
      await service.makeToken(['query']),
      await service.makeToken(['ingest', 'manage'], [project]),
    ];
    const [admin = '', queryToken = ''] = tokens;
    const events = [0, 1].map((n) => ({
      project,
      event_message: `${mark} ${markedNumber}`,
      metadata: { request: { url: `https://${mark}.example`, path: '/rest' }, [`${mark}${n}`]: n },
    }));
    await service.send('edge_logs', events);
    const send = (body: string, query = '') =>
      fetch(`${service.url}/api/logs?source=edge_logs${query}`, {
        method: 'POST',
        headers: { 'x-api-key': admin, 'content-type': 'application/json' },
        body,
      });
    await send(
      JSON.stringify([
        { project, timestamp: mark },
        { project: 7, event_message: mark },
      ]),
    );
    await send(`[{"project":"${project}","event_message":"${mark}`);
    await send(`{"${mark}": ${mark}}`);
    await send('[]', `&strict=${mark}`);
    await send(JSON.stringify(events), `&source=${mark}`);

    for (const token of tokens) {
      const headers = { 'x-api-key': token };
      for (const sql of queries) await service.call('logs.all', { project, sql }, { headers });
      for (const lql of [`f:edge_logs ${mark}`, `m.request.url:"${mark}" c:count(*)`, `((${mark}`, `t:${mark}`]) {
        await service.call('logs.all', { project, lql }, { headers });
      }
      await service.call('logs.all', { project, iso_timestamp_start: mark }, { headers });
      await service.call('logs.all', { project, [mark]: mark }, { headers });
      await service.call('logs.all', `project=${project}&project=${project}`, { headers });
      await service.call('logs.all', `project=%E0%A4%A${mark}`, { headers });
      await service.call('logs.all', { project, dry_run: 'true', sql: `select '${mark}' from edge_logs` }, { headers });
      await service.call('logs.all', { project, format: mark }, { headers });
      await service.call('usage.api-counts', { interval: mark, project }, { headers });
      await service.call('usage.api-counts', { interval: 'hourly', project: `${mark}(` }, { headers });
      await service.call('usage.api-counts', { interval: 'hourly', project }, { headers });
      await service.call('functions.invocation-stats', { interval: mark, project, function_id: mark }, { headers });
      await service.call('logs.all', { project }, { headers, method: 'POST' });
      await service.call(
        'logs.all',
        { project },
        { headers: { ...headers, 'svc-endpoint-redact-pii': 'true', 'svc-endpoint-values': mark } },
      );
      await service.call(`${mark}.endpoint`, { project }, { headers });
    }
    const paths = [
      `/api/endpoints/query/logs.all?project=${project}&api_key=${queryToken}`,
      `/api/endpoints/query/logs.all?project=${project}&api_key=lm_${mark}`,
      `/${mark}?${mark}=${mark}`,
      `/api/queries/${mark}`,
      `/api/endpoints/${mark}/purge`,
    ];
    for (const path of paths) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        await fetch(`${service.url}${path}`, {
          method,
          headers: { authorization: `Bearer lm_${mark}${'x'.repeat(40)}` },
        });
        await fetch(`${service.url}${path}`, { method, headers: { 'x-api-key': admin } });
      }
    }
    const post = (body: string, contentType = 'application/json') =>
      fetch(`${service.url}/api/endpoints/query/logs.all`, {
        method: 'POST',
        headers: { 'x-api-key': queryToken, 'content-type': contentType },
        body,
      });
    for (const body of [`{"project":"${mark}`, `{"project":["${mark}"]}`, `{"${mark}":1,"${mark}":2}`, mark])
      await post(body);
    await post(`project=${mark}`, `application/${mark}`);

    const manage = async (path: string, body: object) =>
      (await (
        await fetch(`${service.url}${path}`, {
          method: 'POST',
          headers: { 'x-api-key': admin, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      ).json()) as { readonly token?: string };
    const made = await manage('/api/tokens', { description: 'made over HTTP', scopes: ['query'] });
    if (made.token === undefined) throw new Error(`no token was made: ${JSON.stringify(made)}`);
    const rotated = await manage(`/api/tokens/${made.token.slice(3, 15)}/rotate`, {});
    if (rotated.token === undefined) throw new Error(`the token was not rotated: ${JSON.stringify(rotated)}`);
    await manage('/api/tokens', { scopes: [mark] });
    await manage(`/api/tokens/${made.token.slice(3, 15)}/explain`, {
      endpoint: 'logs.all',
      parameters: { project, iso_timestamp_start: mark },
    });
    await manage('/api/endpoints/run', {
      definition: { name: 'draft', query: 'select cast(@p as int64) as n', parameters: { p: { type: 'string' } } },
      parameters: { p: mark },
    });
    await manage('/api/endpoints/check', { name: 'draft', query: `select '${mark}` });
    await manage('/v1/logs?source=edge_logs', {
      resourceLogs: [{ scopeLogs: [{ logRecords: [{ body: { stringValue: mark }, traceId: mark }] }] }],
    });

    const malformed = [
      ['/v1/logs', { resourceLogs: mark }],
      ['/v1/logs', { resourceLogs: [{ resource: mark }] }],
      ['/loki/api/v1/push', { streams: mark }],
      ['/loki/api/v1/push', { streams: [{ stream: { a: { [mark]: mark } }, values: [] }] }],
    ] as const;
    for (const [path, body] of malformed) {
      const { status } = await fetch(`${service.url}${path}?source=edge_logs`, {
        method: 'POST',
        headers: { 'x-api-key': admin, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(status).toBe(400);
    }

    // The last call's line is there: so are those of all before it.
    await fetch(`${service.url}/livez?last`, { headers: { 'x-request-id': 'the-last-call' } });
    await expect.poll(async () => (await lines()).join('\n')).toContain('the-last-call');
    const written = await lines();
    // What is looked for is written where it may be: the test reads the right log.
    expect(written.some((line) => line.includes('"kind":"call.slow"'))).toBe(true);
    expect(written.some((line) => line.includes('"kind":"request.failed"'))).toBe(true);
    expect(written.some((line) => line.includes('"kind":"query.ended"'))).toBe(true);
    const texts = [...tokens, made.token, rotated.token];
    const secrets = [mark, mark.toLowerCase(), markedNumber, ...texts, ...texts.map((token) => token.slice(15))];
    expect(written.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([]);
  });
});
