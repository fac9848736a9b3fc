import { describe, expect, it } from 'vitest';
import { example, managedTests } from './managedService.ts';

const { ask, call, create } = managedTests();

describe('a deletion', () => {
  it('is refused as a breaking change is, with the tokens that called, until it is allowed', async () => {
    const { id } = await create({ name: 'deleted.guarded' });
    await call('deleted.guarded', { n: '1' });
    const refused = await ask('DELETE', `/${id}`);
    expect([refused.status, refused.body.code]).toEqual([409, 'definition.breaking']);
    expect(refused.body.errors).toMatchObject([{ rule: 'endpoint.deleted', token: 'deleted.guarded' }]);
    expect(refused.body.errors[0]?.callers).toHaveLength(1);
    expect(refused.body.detail).toContain('Tokens that called it in the last 30 days');
    expect((await call('deleted.guarded', { n: '1' })).status).toBe(200);
    const dry = await ask('DELETE', `/${id}?dry_run=true`);
    expect(dry.body).toMatchObject({ dry_run: true, deleted: null, would_delete: id, callers: [{ calls: 2 }] });
    const deleted = await ask('DELETE', `/${id}?allow_breaking=true`);
    expect(deleted.body).toMatchObject({ deleted: id, callers: [{ calls: 2 }] });
    expect((await call('deleted.guarded', { n: '1' })).status).toBe(404);
  });

  it('keeps the endpoint: it is listed, read and brought back, with the trail of it', async () => {
    const { id } = await create({ name: 'deleted.kept' });
    await ask('PATCH', `/${id}`, { max_rows: 7 });
    await ask('DELETE', `/${id}?allow_breaking=true`);
    const gone = await ask('GET', `/${id}`);
    expect([gone.status, gone.body.detail]).toEqual([404, expect.stringContaining('deleted=true')]);
    const list = await ask('GET', '?deleted=true&name=deleted.kept');
    expect(list.body.result).toMatchObject([{ id, version: 2, primary: false, deleted_at: expect.any(String) }]);
    expect(list.body.result[0]).not.toHaveProperty('query');
    expect((await ask('GET', '?name=deleted.kept')).body.result).toEqual([]);
    expect((await ask('GET', `/${id}?deleted=true`)).body).toMatchObject({
      id,
      max_rows: 7,
      deleted_at: expect.any(String),
    });
    const versions = await ask('GET', `/${id}/versions?deleted=true`);
    expect(versions.body.result.map(({ version }: { version: number }) => version)).toEqual([2, 1]);
    expect((await ask('GET', `/${id}/versions/1?deleted=true`)).body.max_rows).not.toBe(7);
    expect((await ask('GET', `/${id}/versions/3?deleted=true`)).body.code).toBe('endpoint.version_unknown');
    const dry = await ask('POST', `/${id}/restore?dry_run=true`, {});
    expect(dry.body).toMatchObject({ dry_run: true, outcome: 'restored', endpoint: { version: 3 } });
    expect((await call('deleted.kept', { n: '1' })).status).toBe(404);
    const back = await ask('POST', `/${id}/restore`, {});
    expect(back.status).toBe(200);
    expect(back.body).toMatchObject({
      outcome: 'restored',
      endpoint: { id, version: 3, max_rows: 7, primary: true, note: 'Restored after its deletion, from version 2' },
    });
    expect((await call('deleted.kept', { n: '1' })).status).toBe(200);
    expect((await ask('GET', `/${id}?deleted=true`)).status).toBe(404);
    // It is there: restoring needs a version now.
    expect((await ask('POST', `/${id}/restore`, {})).body.code).toBe('request.malformed');
  });

  it('is taken back as a namesake on purpose only where the name was given away meanwhile, and by an old version', async () => {
    const { id } = await create({ name: 'deleted.twice', max_rows: 3 });
    await ask('PATCH', `/${id}`, { max_rows: 4 });
    await ask('DELETE', `/${id}?allow_breaking=true`);
    const next = await create({ name: 'deleted.twice' });
    for (const dryRun of ['', '?dry_run=true']) {
      const refused = await ask('POST', `/${id}/restore${dryRun}`, { version: 1 });
      expect([refused.status, refused.body.code]).toEqual([409, 'definition.conflict']);
      expect(refused.body.detail).toContain(`The endpoint ${next.id} answers by the name deleted.twice.`);
      expect(refused.body.detail).toContain('"primary": false');
      expect(refused.body.errors).toEqual([{ parameter: 'name', value: 'deleted.twice', holder: next.id }]);
    }
    expect((await ask('GET', `/${id}`)).status).toBe(404);
    const back = await ask('POST', `/${id}/restore`, { version: 1, primary: false });
    expect(back.body).toMatchObject({ outcome: 'restored', endpoint: { version: 3, max_rows: 3, primary: false } });
    expect((await call('deleted.twice', { n: '1' })).body.meta.endpoint.id).toBe(next.id);
    expect((await call(id, { n: '1' })).body.meta.endpoint.id).toBe(id);
    const spent = await ask('POST', '', { ...example, id, name: 'deleted.other' });
    expect(spent.body.code).toBe('definition.conflict');
  });

  it('is taken back with its name, which is a breaking change where callers by it lose something', async () => {
    const { id } = await create({ name: 'deleted.returns' });
    await ask('DELETE', `/${id}?allow_breaking=true`);
    const query = 'select @n as next, @label as label, 1 as more';
    const next = await create({ name: 'deleted.returns', query, sandbox: false });
    const refused = await ask('POST', `/${id}/restore`, { primary: true });
    expect([refused.status, refused.body.code]).toEqual([409, 'definition.breaking']);
    expect(refused.body.errors).toMatchObject([{ rule: 'column.removed', token: 'more' }]);
    const back = await ask('POST', `/${id}/restore?allow_breaking=true`, { primary: true });
    expect(back.body).toMatchObject({ outcome: 'restored', endpoint: { id, version: 2, primary: true } });
    expect(back.body.notices).toMatchObject([{ code: 'endpoint.name_taken_over' }]);
    expect((await call('deleted.returns', { n: '1' })).body.meta.endpoint.id).toBe(id);
    expect((await ask('GET', `/${next.id}`)).body.primary).toBe(false);
  });
});
