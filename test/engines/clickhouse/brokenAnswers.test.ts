import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEngine } from '../../../src/start/openEngine.ts';
import {
  type Change,
  type ChangingProxy,
  type ReceivedAnswer,
  startChangingProxy,
} from '../../clickhouse/changingProxy.ts';
import { hasClickHouse } from '../../clickhouse/startClickHouse.ts';
import { alder, plainEvents } from '../../integration/tenants/tenantEvents.ts';
import { letStream } from '../../support/everyWay.ts';
import { at } from '../../support/instants.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';
import { sharedClickHouse } from './clickhouseEngine.ts';

// Answers of ClickHouse that break off, are cut, or have an exception where rows should be: a caller gets a documented
// error, never rows that look whole, and no word of ClickHouse.

const nowMicros = at('2026-05-01T12:34:56.789Z');

/** Calls that read rows from ClickHouse in different ways. */
const calls: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'rows that ClickHouse computes whole': {
    sql: 'select id, event_message from edge_logs order by timestamp desc, id limit 9',
  },
  groups: { sql: 'select metadata.request.method as k, count(*) as n from edge_logs group by k order by k' },
  'a rest over fetched rows': { sql: 'select upper(id) as u, metadata.words as w from edge_logs order by u' },
  'two sources': {
    sql: 'select id, timestamp from edge_logs union all select id, timestamp from auth_logs order by timestamp, id limit 9',
  },
  'a page': { sql: 'select id, timestamp from edge_logs order by timestamp desc', page_size: '5' },
  'a stream': { sql: 'select id, event_message from edge_logs order by id', format: 'ndjson', stream: 'true' },
};

/** An exception as ClickHouse words it, with values of rows. */
const exceptionText = (code: number, name: string) =>
  `Code: ${code}. DB::Exception: Cannot parse string 'anna@example.com' of tenant-birch. (${name}) (version 26.7.2.1)\n`;
const shownOfClickHouse = /anna|birch|DB::|Code: \d|__exception__|<html>/i;

const after = (share: number): Change => ({ kind: 'break', after: ({ length }) => Math.floor(length * share) });
const replaced = (change: (answer: ReceivedAnswer) => Partial<ReceivedAnswer>): Change => ({
  kind: 'replace',
  with: (answer) => ({ ...answer, ...change(answer) }),
});
const cut = (share: number) => replaced(({ body }) => ({ body: body.subarray(0, Math.floor(body.length * share)) }));
const withSummary = (summary: string | null): Change =>
  replaced(({ headers }) => {
    const others = Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'x-clickhouse-summary'));
    return { headers: summary === null ? others : { ...others, 'x-clickhouse-summary': summary } };
  });
/** As a server appends it to an answer that has begun. */
const withException = (share: number, code: number, name: string) =>
  replaced(({ body, headers }) => {
    const tag = String(headers['x-clickhouse-exception-tag']);
    const text = exceptionText(code, name);
    const block = `__exception__\r\n${tag}\r\n${text}${text.length} ${tag}\r\n__exception__\r\n`;
    return { body: Buffer.concat([body.subarray(0, Math.floor(body.length * share)), Buffer.from(block)]) };
  });
const refused = (status: number, text: string, headers = {}) =>
  replaced(() => ({ status, headers, body: Buffer.from(text) }));
const exception = (code: number, name: string) =>
  refused(500, exceptionText(code, name), { 'x-clickhouse-exception-code': String(code) });

const restarting = ['engine.restarting'];
const changes: readonly (readonly [title: string, change: Change, codes: readonly string[]])[] = [
  ['breaks off before its first byte', after(0), restarting],
  ['breaks off in the middle', after(0.5), restarting],
  ['breaks off after its last byte', after(1), restarting],
  ['is empty', cut(0), restarting],
  ['is cut after a third', cut(0.3), restarting],
  ['is cut near its end', cut(0.98), restarting],
  ['has no summary', withSummary(null), restarting],
  ['has a summary that is not JSON', withSummary('nonsense'), restarting],
  ['announces fewer rows', withSummary('{"result_rows":"1"}'), restarting],
  ['announces no rows', withSummary('{"result_rows":"0"}'), restarting],
  ['announces more rows', withSummary('{"result_rows":"999"}'), restarting],
  [
    'is an exception without a code in its status',
    withException(0, 241, 'MEMORY_LIMIT_EXCEEDED'),
    [...restarting, 'query.memory'],
  ],
  ['has an exception in its middle', withException(0.5, 241, 'MEMORY_LIMIT_EXCEEDED'), [...restarting, 'query.memory']],
  ['has an exception at its end', withException(1, 6, 'CANNOT_PARSE_TEXT'), [...restarting, 'engine.failed']],
  [
    'has the text of an exception at its end',
    replaced(({ body }) => ({ body: Buffer.concat([body, Buffer.from(exceptionText(6, 'X'))]) })),
    restarting,
  ],
  ['is a page of a proxy', refused(200, '<html>anna</html>'), restarting],
  ['is refused by a proxy that is busy', refused(429, '<html>anna</html>'), restarting],
  ['comes from a proxy that failed', refused(502, '<html>anna</html>'), restarting],
  ['is an exception about a value', exception(6, 'CANNOT_PARSE_TEXT'), ['engine.failed']],
  ['is an exception about memory', exception(241, 'MEMORY_LIMIT_EXCEEDED'), ['query.memory']],
  ['is an exception about time', exception(159, 'TIMEOUT_EXCEEDED'), ['query.timeout']],
  ['is an exception about rights', exception(497, 'ACCESS_DENIED'), ['engine.failed']],
  ['is an exception of a server that ends', exception(236, 'ABORTED'), restarting],
];

describe.skipIf(!hasClickHouse)('a call whose answer of ClickHouse', () => {
  let proxy: ChangingProxy;
  let service: WholeService;
  let token: string;
  beforeAll(async () => {
    const { url, user, password, createDatabase } = await sharedClickHouse();
    proxy = await startChangingProxy(url);
    const accounts = { clickhouseUser: user, clickhouseReaderUser: user };
    const passwords = password === '' ? {} : { clickhousePassword: password, clickhouseReaderPassword: password };
    service = await startWholeService({
      nowMicros,
      openEngine,
      settings: {
        ...{ events: 'clickhouse', clickhouseUrl: proxy.url, clickhouseDatabase: await createDatabase() },
        ...accounts,
        ...passwords,
      },
    });
    await letStream(service, ['d9a2e433-3286-44d9-a3b2-96b88c809d76']);
    for (const [stream, events] of plainEvents(alder, nowMicros, 12)) await service.send(stream, events);
    token = await service.makeToken(['query', 'query:stream'], [alder.project]);
  });
  afterAll(async () => {
    await service?.close();
    await proxy?.close();
  });

  async function ask(parameters: Readonly<Record<string, string>>) {
    const response = await fetch(`${service.url}/api/endpoints/query/logs.all`, {
      method: 'POST',
      headers: { 'x-api-key': token, 'content-type': 'application/json' },
      body: JSON.stringify({ project: alder.project, ...parameters }),
    });
    return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() };
  }

  it.each(changes)('%s', async (_, change, codes) => {
    for (const [title, parameters] of Object.entries(calls)) {
      const before = proxy.changed;
      proxy.change = change;
      const { status, retryAfter, text } = await ask(parameters);
      proxy.change = null;
      expect(proxy.changed, title).toBeGreaterThan(before);
      expect(codes, `${title}: ${text}`).toContain(status === 200 ? 'rows' : JSON.parse(text).code);
      expect(text, title).not.toMatch(shownOfClickHouse);
      if (status === 503) expect(Number(retryAfter), title).toBeGreaterThan(0);
      // The next one is whole.
      expect((await ask(parameters)).status, title).toBe(200);
    }
    expect(JSON.stringify(service.observations.map(causesOf))).not.toMatch(/anna@example|ALDER-edge_logs/);
  });
});

/** The texts that the log has of an observation. */
function causesOf(observation: object): readonly string[] {
  const texts: string[] = [];
  let each: unknown = 'cause' in observation ? observation.cause : null;
  for (; each instanceof Error; each = each.cause) texts.push(each.message);
  return texts;
}
