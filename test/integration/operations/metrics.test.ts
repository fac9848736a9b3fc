import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at } from '../../support/instants.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ nowMicros: at('2026-05-01T12:00:00Z') });
});
afterAll(() => service.close());

async function scrape(token = service.adminToken) {
  const response = await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

/** The value of one time series, by its name with labels. */
const readingOf = (text: string, series: string): number | undefined => {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
};

describe('GET /metrics', () => {
  it('tells what was counted, without anything that a caller sent', async () => {
    const secret = 'orchardlanternquartz';
    await service.send('edge_logs', [
      { id: 'a', timestamp: at('2026-05-01T11:00:00Z'), event_message: 'm', project: secret },
    ]);
    const sql = "select 'needleinhay' as x";
    expect((await service.call('logs.all', { project: secret, sql })).status).toBe(200);
    expect((await service.call('logs.all', { project: secret, sql: 'select nothing' })).status).toBe(400);
    expect((await fetch(`${service.url}/needleinhay`)).status).toBe(404);
    const { status, type, text } = await scrape();
    expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    const series = {
      'logmill_http_requests_total{route="endpoints.query",status="200"}': 1,
      'logmill_http_requests_total{route="endpoints.query",status="400"}': 1,
      'logmill_http_requests_total{route="unmatched",status="404"}': 1,
      'logmill_http_errors_total{code="sql.unknown_name"}': 1,
      'logmill_queries_total{endpoint="logs.all",outcome="answered"}': 1,
      'logmill_query_seconds_count{endpoint="logs.all"}': 1,
      'logmill_ingest_events_total{source="edge_logs",outcome="accepted"}': 1,
      logmill_engine_starts_total: 1,
      logmill_queries_running: 0,
      logmill_queries_waiting: 0,
      'logmill_event_files{kind="active"}': 1,
    };
    expect(Object.fromEntries(Object.keys(series).map((name) => [name, readingOf(text, name)]))).toEqual(series);
    expect(readingOf(text, 'logmill_memory_bytes{process="service"}')).toBeGreaterThan(2 ** 20);
    expect(text).not.toContain('needleinhay');
    expect(text).not.toContain(secret);
  });

  it('needs the scope observe, of a token that reaches every project', async () => {
    const outcomes = [
      await scrape(await service.makeToken(['observe'])),
      await scrape(await service.makeToken(['query', 'manage'])),
      await scrape(await service.makeToken(['observe'], ['own'])),
      await scrape('unknown'),
    ];
    const codeOf = (text: string): unknown => (text.startsWith('{') ? JSON.parse(text).code : undefined);
    expect(outcomes.map(({ status, text }) => [status, codeOf(text)])).toEqual([
      [200, undefined],
      [403, 'auth.scope'],
      [403, 'auth.project'],
      [401, 'auth.invalid'],
    ]);
  });
});
