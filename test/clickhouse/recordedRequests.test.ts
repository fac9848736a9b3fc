import { afterEach, beforeEach, expect, it } from 'vitest';
import { type RequestRecorder, startRequestRecorder } from './recordedRequests.ts';

let recorder: RequestRecorder;

beforeEach(async () => {
  recorder = await startRequestRecorder(({ statement }) =>
    statement.includes('nonsense')
      ? { status: 404, headers: { 'X-ClickHouse-Exception-Code': '60' }, body: 'Code: 60.' }
      : undefined,
  );
});
afterEach(async () => await recorder.close());

it('writes every byte of a request: parameters, headers, text and binary bodies', async () => {
  const url = `${recorder.url}/?readonly=1&param_p=a%09b`;
  await fetch(url, { method: 'POST', headers: { 'X-ClickHouse-User': 'app' }, body: 'CREATE USER é' });
  await fetch(`${recorder.url}/?query=INSERT`, {
    method: 'POST',
    headers: { b: '1' },
    body: Buffer.from([0, 255, 10]),
  });
  expect(
    withoutClient(
      recorder.text([
        ['app', 'USER'],
        [/readonly = \d/, 'readonly = N'],
      ]),
    ),
  ).toBe(`#### POST /
param_p = a\tb
readonly = N
x-clickhouse-user: USER

CREATE USER é

#### POST /
query = INSERT
b: 1

00ff0a
`);
});

it('shows a difference of one byte', async () => {
  await fetch(recorder.url, { method: 'POST', body: 'SELECT 1' });
  const first = recorder.text();
  recorder.clear();
  await fetch(recorder.url, { method: 'POST', body: 'SELECT 1 ' });
  expect(recorder.text()).not.toBe(first);
});

it('answers from its script', async () => {
  expect((await fetch(recorder.url, { method: 'POST', body: 'SELECT 1' })).status).toBe(200);
  const refused = await fetch(recorder.url, { method: 'POST', body: 'SELECT nonsense' });
  expect([refused.status, await refused.text()]).toEqual([404, 'Code: 60.']);
});

/** Without the headers that fetch adds. */
function withoutClient(text: string): string {
  return text.replaceAll(/^(accept-language|accept-encoding|sec-fetch-mode|content-type): .*\n/gm, '');
}
