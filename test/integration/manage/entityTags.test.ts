import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { example, type ManagedService, startManagedService } from './managedService.ts';

let managed: ManagedService;
let id: string;
let tag: string;
beforeAll(async () => {
  managed = await startManagedService();
  const { body, headers } = await managed.ask('POST', '', { ...example, name: 'tagged.one' });
  id = body.endpoint.id;
  tag = headers.get('etag') ?? '';
});
afterAll(() => managed.close());

/** Reads the endpoint with these headers; a 304 has no body that could be parsed. */
const read = (method: string, headers: Readonly<Record<string, string>>) =>
  fetch(`${managed.service.url}/api/endpoints/${id}`, {
    method,
    headers: { 'x-api-key': managed.service.adminToken, ...headers },
  });

describe('the entity tag of a managed endpoint', () => {
  it.each(['GET', 'HEAD'])('spares a %s the definition that its client has', async (method) => {
    for (const known of [tag, `W/${tag}`, `"9.1", ${tag}`, '*']) {
      const answer = await read(method, { 'if-none-match': known });
      expect([answer.status, answer.headers.get('etag'), await answer.text()]).toEqual([304, tag, '']);
      expect(answer.headers.get('content-type')).toBe(null);
    }
    expect((await read(method, { 'if-none-match': '"9.1"' })).status).toBe(200);
  });

  it('is not told by a dry run, whose version another change may take', async () => {
    for (const [method, path, body] of [
      ['PATCH', `/${id}`, { max_rows: 4 }],
      ['POST', '', { ...example, name: 'tagged.two' }],
    ] as const) {
      expect((await managed.ask(method, `${path}?dry_run=true`, body)).headers.get('etag')).toBe(null);
    }
    const done = await managed.ask('POST', `/${id}/primary`);
    expect([done.body.outcome, done.headers.get('etag')]).toEqual(['unchanged', tag]);
  });

  it('is compared as a strong one by If-Match, and the refusal of a weak one does not tell of a change', async () => {
    const refused = await managed.ask('PATCH', `/${id}`, { max_rows: 4 }, { 'if-match': `W/${tag}` });
    expect([refused.status, refused.body.code]).toEqual([412, 'request.precondition_failed']);
    expect(refused.body.detail).toBe(
      `If-Match has only weak entity tags, which match nothing. Send the tag without W/; the endpoint ${id} now has ${tag}.`,
    );
    expect(refused.body.errors).toEqual([{ allowed: [tag] }]);
  });
});

describe('a flag in the URL of a change', () => {
  it.each(['true', 'TRUE', '1'])('is read in any case and as a digit: dry_run=%s', async (flag) => {
    const { status, body } = await managed.ask('PATCH', `/${id}?dry_run=${flag}`, { max_rows: 4 });
    expect([status, body.outcome, body.endpoint.max_rows]).toEqual([200, 'changed', 4]);
    expect((await managed.ask('GET', `/${id}`)).body.max_rows).toBe(1000);
  });

  it('is refused where it says neither', async () => {
    const { status, body } = await managed.ask('PATCH', `/${id}?dry_run=yes`, { max_rows: 4 });
    expect([status, body.code]).toEqual([400, 'parameter.invalid']);
  });
});
