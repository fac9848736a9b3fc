import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, second } from '../../support/instants.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

// Parameters that are lists, from the URL and the body to rows, against a real engine (contract, section 3).

const now = at('2026-05-01T12:00:00Z');
const endpoint = '/api/endpoints/query/of.statuses';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ nowMicros: now });
  await service.define({
    id: '22222222-2222-4222-8222-222222222222',
    name: 'of.statuses',
    query: `select m.response.status_code as status from sources.edge_logs as t cross join unnest(t.metadata) as m
      where t.project = @project and (@statuses is null or m.response.status_code in unnest(@statuses))
        and (@paths is null or m.request.path in unnest(@paths)) order by status`,
    parameters: {
      project: { type: 'string', required: true },
      statuses: { type: 'array<int64>', max_items: 3, example: [500, 502] },
      paths: { type: 'array<string>' },
    },
    cache_seconds: 60,
  });
  const event = (id: string, status: number, path: string) => ({
    id,
    timestamp: now - second,
    project: 'own',
    event_message: id,
    metadata: { request: { path }, response: { status_code: status } },
  });
  await service.send('edge_logs', [
    event('a', 200, '/a'),
    event('b', 404, '/b,c'),
    event('c', 500, '/a'),
    { ...event('d', 500, '/a'), project: 'other' },
  ]);
});
afterAll(() => service.close());

async function statuses(query: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${service.url}${endpoint}?project=own${query}`, {
    headers: { 'x-api-key': service.adminToken, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as { result?: { status: number }[]; code?: string };
  return answer.result?.map(({ status }) => status) ?? answer.code;
}

describe('a list of values', () => {
  it.each([
    ['is no condition if it is absent', '', undefined, [200, 404, 500]],
    ['is one value', '&statuses=500', undefined, [500]],
    ['is separated by commas', '&statuses=200,500', undefined, [200, 500]],
    ['is repeated', '&statuses=200&statuses=404', undefined, [200, 404]],
    ['is a JSON array in the URL', `&paths=${encodeURIComponent('["/b,c"]')}`, undefined, [404]],
    ['is an array in the body', '', { statuses: [500, '200'], paths: ['/a'] }, [200, 500]],
    ['has no elements, and finds nothing', '', { statuses: [] }, []],
    ['is bounded', '&statuses=1,2,3,4', undefined, 'parameter.invalid'],
    ['has no null in it', '', { statuses: [null] }, 'parameter.invalid'],
    ['is in the URL or in the body', '&statuses=200', { statuses: [404] }, 'parameter.duplicate'],
    ['is for parameters that take one', '&paths=/a&project=other', undefined, 'parameter.duplicate'],
  ])('%s', async (_, query, body, result) => {
    expect(await statuses(query, body)).toEqual(result);
    // From the cache.
    expect(await statuses(query, body)).toEqual(result);
  });

  it('is described with its elements and their number', async () => {
    const response = await fetch(`${service.url}/openapi.json`, { headers: { 'x-api-key': service.adminToken } });
    expect(await response.text()).toContain(
      '"schema":{"type":"array","items":{"type":"integer","format":"int64"},"maxItems":3,"examples":[[500,502]]}',
    );
  });
});
