import { describe, expect, it } from 'vitest';
import { example, managedTests } from './managedService.ts';

const { ask, call, create } = managedTests();

describe('namesakes', () => {
  it('are made on purpose only: a taken name is a 409 that names who has it', async () => {
    const holder = await create({ name: 'names.taken' });
    const definition = { ...example, name: 'names.taken' };
    for (const path of ['', '?dry_run=true']) {
      const refused = await ask('POST', path, definition);
      expect([refused.status, refused.body.code]).toEqual([409, 'definition.conflict']);
      expect(refused.body.detail).toContain(`The endpoint ${holder.id} answers by the name names.taken.`);
      expect(refused.body.detail).toContain('"primary": false');
      expect(refused.body.errors).toEqual([{ parameter: 'name', value: 'names.taken', holder: holder.id }]);
    }
    const id = '7d3c3a1e-9d0c-4a65-8a51-0d3f57a9f001';
    const deployed = await ask('POST', '/deploy', { definitions: [{ ...definition, id }] });
    expect([deployed.status, deployed.body.errors[0]?.holder]).toEqual([409, holder.id]);
    const shared = await ask('POST', '', { ...definition, primary: false });
    expect([shared.status, shared.body.endpoint.primary]).toEqual([201, false]);
    // Of several that come together, one says whose the name is.
    const twins = [id, '7d3c3a1e-9d0c-4a65-8a51-0d3f57a9f002'].map((each, n) => ({
      ...example,
      id: each,
      name: 'names.twins',
      ...(n === 1 ? { primary: true } : {}),
    }));
    const both = await ask('POST', '/deploy', { definitions: twins });
    expect(both.body.result.map(({ primary }: { primary: boolean }) => primary)).toEqual([false, true]);
  });

  it('are made on purpose only by a rename, too', async () => {
    const holder = await create({ name: 'names.held' });
    const { id } = await create({ name: 'names.free' });
    const renamed = { ...example, name: 'names.held' };
    const deployment = { definitions: [{ ...renamed, id }] };
    for (const [method, path, body] of [
      ['PUT', `/${id}`, renamed],
      ['PATCH', `/${id}`, { name: 'names.held' }],
      ['POST', '/deploy', deployment],
    ] as const) {
      for (const dryRun of ['', '&dry_run=true']) {
        const refused = await ask(method, `${path}?allow_breaking=true${dryRun}`, body);
        expect([method, refused.status, refused.body.code]).toEqual([method, 409, 'definition.conflict']);
        expect(refused.body.errors[0]).toMatchObject({ parameter: 'name', holder: holder.id });
      }
    }
    expect((await ask('GET', `/${id}`)).body).toMatchObject({ name: 'names.free', version: 1, primary: true });
    const shared = await ask('PATCH', `/${id}?allow_breaking=true`, { name: 'names.held', primary: false });
    expect([shared.status, shared.body.endpoint.primary]).toEqual([200, false]);
    // What keeps its name needs to say nothing, whoever else has it.
    const changed = await ask('PATCH', `/${id}`, { description: 'a namesake' });
    expect([changed.status, changed.body.endpoint.primary]).toEqual([200, false]);
  });

  it('are made on purpose only by restoring a version with an old name, too', async () => {
    const { id } = await create({ name: 'names.old' });
    await ask('PATCH', `/${id}?allow_breaking=true`, { name: 'names.new' });
    const holder = await create({ name: 'names.old' });
    const restore = (body: unknown, more = '') => ask('POST', `/${id}/restore?allow_breaking=true${more}`, body);
    for (const dryRun of ['', '&dry_run=true']) {
      const refused = await restore({ version: 1 }, dryRun);
      expect([refused.status, refused.body.code]).toEqual([409, 'definition.conflict']);
      expect(refused.body.detail).toContain('"primary": false');
      expect(refused.body.errors[0]).toMatchObject({ parameter: 'name', holder: holder.id });
    }
    expect((await ask('GET', `/${id}`)).body).toMatchObject({ name: 'names.new', version: 2, primary: true });
    const shared = await restore({ version: 1, primary: false });
    expect(shared.body.endpoint).toMatchObject({ name: 'names.old', version: 3, primary: false });
    const taken = await restore({ version: 1, primary: true });
    expect(taken.body.endpoint).toMatchObject({ name: 'names.old', version: 3, primary: true });
    expect((await ask('GET', `/${holder.id}`)).body.primary).toBe(false);
    expect((await restore({ version: 1, primary: 'no' })).body.code).toBe('request.malformed');
  });

  it('take a name over as a breaking change where callers by it lose something', async () => {
    const holder = await create({
      name: 'names.taken.over',
      query: 'select 1 as a, 2 as b',
      parameters: {},
      sandbox: false,
    });
    const other = await create({ name: 'names.other', query: 'select 1 as a', parameters: {} });
    const wanted = { name: 'names.taken.over', primary: true, query: 'select 1 as a', parameters: {} };
    const changes = [
      ['POST', '', wanted],
      ['POST', '/deploy', { definitions: [{ ...wanted, id: '7d3c3a1e-9d0c-4a65-8a51-0d3f57a9f003' }] }],
      ['PUT', `/${other.id}`, wanted],
      ['PATCH', `/${other.id}`, { name: wanted.name, primary: true }],
    ] as const;
    for (const [method, path, body] of changes) {
      const refused = await ask(method, path, body);
      expect([method, refused.status, refused.body.code]).toEqual([method, 409, 'definition.breaking']);
      const lost = refused.body.errors.find(({ rule }: { rule: string }) => rule === 'column.removed');
      expect(lost).toMatchObject({ token: 'b', value: 'names.taken.over' });
      expect(lost.message).toContain(holder.id);
    }
    expect((await ask('GET', `/${holder.id}`)).body.primary).toBe(true);
    const tried = await ask('POST', '?dry_run=true', wanted);
    expect(tried.body.notices).toMatchObject([{ code: 'endpoint.name_taken_over' }]);
    expect((await ask('GET', `/${holder.id}`)).body.primary).toBe(true);
    const made = await ask('POST', '?allow_breaking=true', wanted);
    expect([made.status, made.body.endpoint.primary]).toEqual([201, true]);
    // The call that does nothing else is not refused.
    expect((await ask('POST', `/${holder.id}/primary`)).status).toBe(200);
    expect((await ask('POST', `/${made.body.endpoint.id}/primary`)).status).toBe(200);
  });

  it('have one primary, which is switched in one step and cannot be deleted before', async () => {
    const a = await create({ name: 'names.same' });
    const b = await create({ name: 'names.same', primary: false, query: example.query.replace('n + 1', 'n + 100') });
    const next = async () => (await call('names.same', { n: '1' })).body.result[0]?.next;
    expect(await next()).toBe(2);
    expect((await ask('DELETE', `/${a.id}`)).body.code).toBe('definition.conflict');
    const switched = await ask('POST', `/${b.id}/primary`);
    expect(switched.body).toMatchObject({ outcome: 'changed', endpoint: { primary: true, version: 1 } });
    expect(await next()).toBe(101);
    expect((await ask('GET', `/${a.id}`)).headers.get('etag')).toBe('"1.0"');
    expect((await ask('POST', `/${b.id}/primary`)).body.outcome).toBe('unchanged');
    expect((await ask('DELETE', `/${a.id}?allow_breaking=true`)).body).toEqual({
      deleted: a.id,
      name: 'names.same',
      version: 1,
      callers: expect.any(Array),
    });
    expect((await ask('GET', `/${a.id}`)).status).toBe(404);
    const third = await ask('POST', '', { ...example, name: 'names.same', primary: true });
    expect(third.body.endpoint.primary).toBe(true);
    expect(await next()).toBe(2);
  });
});
