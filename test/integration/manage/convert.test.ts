import { afterAll, beforeAll, expect, it } from 'vitest';
import { at, minute } from '../../support/instants.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';
import { manage, tokenWith } from '../tokens/tokenCalls.ts';

const now = at('2026-05-01T12:30:00Z');

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ nowMicros: now });
  const event = (id: string, ageMinutes: number, status_code: number) => ({
    id,
    timestamp: now - ageMinutes * minute,
    project: 'shop',
    event_message: `GET /${id}`,
    metadata: { level: status_code < 500 ? 'info' : 'error', response: { status_code } },
  });
  await service.send('edge_logs', [
    event('a', 1, 502),
    event('b', 5, 200),
    event('c', 85, 503),
    event('d', 200, 502),
    { ...event('e', 1, 500), project: 'other' },
  ]);
});
afterAll(() => service.close());

const convert = (token: string, body: object) =>
  manage(service, '/api/endpoints/convert', { method: 'POST', token, body });

it('makes an endpoint of a search that has the same rows, and others with other parameters', async () => {
  const lql = 'm.response.status_code:>=500 t:last@1h';
  const { status, body } = await convert(service.adminToken, {
    endpoint: 'logs.all',
    lql: `f:edge_logs ${lql}`,
    name: 'failing',
  });
  expect([status, body.problem]).toEqual([200, null]);
  for (const { text, offset, length } of body.literals) expect(body.sql.slice(offset, offset + length)).toBe(text);
  const created = await manage(service, '/api/endpoints', { method: 'POST', body: body.definition.fields });
  expect([created.status, created.body.outcome]).toEqual([201, 'created']);
  service.clock.advanceMs(1000);
  const searched = await service.call('logs.all', { project: 'shop', lql: `f:edge_logs ${lql}` });
  const converted = await service.call('logs.all', { project: 'shop', sql: body.sql });
  const called = (more: Record<string, string>) => service.call('failing', { project: 'shop', ...more });
  const ids = (answer: { readonly body: { readonly result: readonly { readonly id?: unknown }[] } }) =>
    answer.body.result.map(({ id }) => id);
  expect(ids(searched)).toEqual(['a', 'c']);
  expect(converted.body.result).toEqual(searched.body.result);
  expect((await called({})).body.result).toEqual(searched.body.result);
  expect(ids(await called({ minutes: '0' }))).toEqual(['a']);
  expect(ids(await called({ minutes: '600', status_code_min: '503' }))).toEqual(['c']);
  expect(ids(await called({ end: '2026-05-01T10:00:00Z' }))).toEqual(['d']);
  const missing = await service.call('failing', {});
  expect([missing.status, missing.body.code]).toEqual([400, 'parameter.missing']);
});

it('tells a token what its calls tell, and shows the stored query to managers only', async () => {
  const reader = await tokenWith(service, { projects: ['shop'] });
  const { status, body } = await convert(reader, {
    endpoint: 'logs.all',
    sql: "select id from edge_logs where id = 'a'",
  });
  expect([status, body.definition, body.problem, body.filters]).toEqual([200, null, null, null]);
  expect(JSON.stringify(body)).not.toContain('sources.');
  const refused = async (token: string, of: object) => {
    const answer = await convert(token, of);
    return [answer.status, answer.body.code];
  };
  const query = { endpoint: 'logs.all', sql: 'select 1 as x' };
  expect(await refused(await tokenWith(service, {}, ['ingest']), query)).toEqual([403, 'auth.scope']);
  expect(await refused(await tokenWith(service, { caller_queries: false }), query)).toEqual([403, 'auth.caller_query']);
  expect(await refused(reader, { ...query, endpoint: 'no.such' })).toEqual([404, 'endpoint.unknown']);
  expect(await refused(reader, { ...query, endpoint: 'functions.no' })).toEqual([404, 'endpoint.unknown']);
  expect(await refused(reader, { ...query, lql: 'x' })).toEqual([400, 'query.both']);
  expect(await refused(reader, { endpoint: 'logs.all' })).toEqual([400, 'parameter.missing']);
  expect(await refused(reader, { ...query, endpoint: '' })).toEqual([400, 'parameter.invalid']);
  expect(await refused(reader, { endpoint: 'logs.all', sql: 'select * from sources.edge_logs' })).toEqual([
    403,
    'sandbox.table',
  ]);
});
