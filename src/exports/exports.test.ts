import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ServiceError } from '../core/errors.ts';
import { chosenJson, type FormatName } from '../formats/resultFormat.ts';
import { tokenOf } from '../invoke/cachedCalls.fixture.ts';
import { restrictedTo } from '../tokens/restrictions.ts';
import { ExportFiles } from './exportFiles.ts';
import { callOf, codeOf, endpoint, generous, TestedExports } from './exports.fixture.ts';
import type { Exports } from './exports.ts';

const [alice, bob] = [tokenOf('alice'), tokenOf('bob')];
const never = new AbortController().signal;

let folder: string;
let tested: TestedExports;
let exports: Exports;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'exports-'));
  tested = new TestedExports(folder);
  exports = await tested.open();
});
afterEach(async () => {
  await exports.close();
  rmSync(folder, { recursive: true });
});

const begin = async (tokenId?: string, accepted?: FormatName) => await exports.begin(callOf(tokenId, accepted), never);
const stateOf = (id: string, tokenId = 'alice') => {
  const { state, failure } = exports.find(id, tokenOf(tokenId));
  return [state, failure?.code ?? null];
};
const ends = async (id: string, tokenId = 'alice') => {
  await expect.poll(() => exports.find(id, tokenOf(tokenId)).endedMicros).not.toBeNull();
  return exports.find(id, tokenOf(tokenId));
};
async function textOf(id: string, format: FormatName = 'json', tokenId = 'alice'): Promise<string> {
  const data = await exports.read(id, tokenOf(tokenId), { ...chosenJson, name: format });
  return (await buffer(data.open(0, data.bytes - 1, async () => tokenOf(tokenId)))).toString();
}
describe('an export', () => {
  it('has the rows of all pages, in each format, with what meta says about them together', async () => {
    tested.pages.pages = 3;
    const { id } = await begin();
    const record = await ends(id);
    expect([record.state, record.rows]).toEqual(['complete', 6]);
    const { result, meta } = JSON.parse(await textOf(id));
    expect(result.map(({ v }: { v: string }) => v)).toEqual(['0-0', '0-1', '1-0', '1-1', '2-0', '2-1']);
    expect(meta).toMatchObject({
      row_count: 6,
      truncated: false,
      notices: [{ code: 'page.order_added' }],
      redaction: { applied: true, counts: { email: 3 } },
      query: { elapsed_ms: 3, rows_scanned: 15 },
      request_id: 'request-1',
    });
    expect(await textOf(id, 'csv')).toBe('"v"\r\n"0-0"\r\n"0-1"\r\n"1-0"\r\n"1-1"\r\n"2-0"\r\n"2-1"\r\n');
    const lines = (await textOf(id, 'ndjson')).trimEnd().split('\n');
    expect(lines).toHaveLength(7);
    expect(JSON.parse(lines.at(-1) ?? '')['@logmill']).toMatchObject({ status: 'complete', rows: 6 });
    expect(await codeOf(exports.read(id, alice, { ...chosenJson, name: 'prometheus' }))).toBe('format.unsuitable');
    expect(await codeOf(exports.read(id, alice, { ...chosenJson, name: 'parquet' }))).toBe('format.unsupported');
  });

  it('exists for no other token', async () => {
    const { id } = await begin();
    await ends(id);
    for (const work of [
      () => exports.find(id, bob),
      () => exports.read(id, bob, null),
      () => exports.remove(id, bob),
      () => exports.ended(id, bob, 1, never),
    ]) {
      expect(await codeOf(work)).toBe('export.unknown');
    }
    expect(exports.list(bob)).toEqual([]);
    expect(exports.list(alice)).toHaveLength(1);
  });

  it('is refused like its call, and then leaves nothing', async () => {
    const refused = await codeOf(begin('alice', 'markdown'));
    expect(refused).toBe('format.unsuitable');
    expect(exports.list(alice)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('keeps its files from others', async () => {
    const { id } = await begin();
    await ends(id);
    expect(statSync(join(folder, id)).mode & 0o077).toBe(0);
    const names = readdirSync(join(folder, id));
    expect(names.toSorted()).toEqual(['data.json', 'export.json', 'rows']);
    for (const name of names) expect(statSync(join(folder, id, name)).mode & 0o077).toBe(0);
  });

  it('is kept over a restart when complete: the same bytes with the same entity tag', async () => {
    tested.pages.pages = 2;
    const { id } = await begin();
    await ends(id);
    const [text, { entityTag }] = [await textOf(id), await exports.read(id, alice, null)];
    await exports.close();
    exports = await tested.open();
    expect([await textOf(id), (await exports.read(id, alice, null)).entityTag]).toEqual([text, entityTag]);
    expect(await textOf(id, 'tsv')).toContain('1-1');
    expect(await codeOf(() => exports.find(id, bob))).toBe('export.unknown');
  });

  it('keeps every file in its record, also of those that are complete at the same time', async () => {
    const { id } = await begin();
    await ends(id);
    const formats = ['ndjson', 'csv'] as const;
    const texts = await Promise.all(formats.map((format) => textOf(id, format)));
    const files = new ExportFiles(folder);
    const record = exports.find(id, alice);
    const sizes = Object.entries(record.files);
    const records = sizes.map((_, n) => ({ ...record, files: Object.fromEntries(sizes.slice(0, n + 1)) }));
    await Promise.all(records.map((each) => files.save(each)));
    await exports.close();
    exports = await tested.open();
    expect(Object.keys(exports.find(id, alice).files).sort()).toEqual(['json', ...formats].sort());
    expect(await Promise.all(formats.map((format) => textOf(id, format)))).toEqual(texts);
  });

  it('has failed after a restart if it was running, without partial files', async () => {
    tested.pages.pages = 2;
    const { id } = await begin();
    await ends(id);
    // As a process leaves it that was killed.
    const record = { ...exports.find(id, alice), state: 'running', endedMicros: null, result: null, files: {} };
    await exports.close();
    writeFileSync(join(folder, id, 'export.json'), JSON.stringify(record));
    writeFileSync(join(folder, id, 'data.csv.part'), 'part');
    writeFileSync(join(folder, 'stray'), 'x');
    exports = await tested.open();
    expect(stateOf(id)).toEqual(['failed', 'export.interrupted']);
    expect(readdirSync(join(folder, id))).toEqual(['export.json']);
    expect(readdirSync(folder)).toEqual([id]);
    expect(await codeOf(exports.read(id, alice, null))).toBe('export.incomplete');
  });

  it('fails when the service stops, which the next start shows', async () => {
    tested.pages.hold = new Promise(() => {});
    const { id } = await begin();
    await exports.close();
    exports = await tested.open();
    expect(stateOf(id)).toEqual(['failed', 'export.interrupted']);
  });

  it('is gone an hour after its end', async () => {
    const { id } = await begin();
    await ends(id);
    tested.clock.advanceMs(3_600_000 - 1);
    expect(stateOf(id)).toEqual(['complete', null]);
    tested.clock.advanceMs(1);
    expect(await codeOf(() => exports.find(id, alice))).toBe('export.unknown');
    await expect.poll(() => existsSync(join(folder, id))).toBe(false);
  });

  it('ends with its removal, also while it runs', async () => {
    tested.pages.hold = new Promise(() => {});
    const { id } = await begin();
    await exports.remove(id, alice);
    expect(await codeOf(() => exports.find(id, alice))).toBe('export.unknown');
    expect(existsSync(join(folder, id))).toBe(false);
  });

  it('loses its rows when events are deleted, running or complete, and says why', async () => {
    const complete = await begin();
    await ends(complete.id);
    tested.pages.hold = new Promise(() => {});
    const running = await begin();
    exports.dropAll();
    for (const { id } of [complete, running]) {
      await expect.poll(() => stateOf(id)).toEqual(['failed', 'export.events_removed']);
      await expect.poll(() => readdirSync(join(folder, id))).toEqual(['export.json']);
      expect(await codeOf(exports.read(id, alice, null))).toBe('export.incomplete');
    }
  });

  it('leaves nothing if its owner removes it while its rows are dropped', async () => {
    const { id } = await begin();
    await ends(id);
    exports.dropAll();
    await exports.remove(id, alice);
    expect(existsSync(join(folder, id))).toBe(false);
    await exports.close();
    expect(tested.observations.filter(({ kind }) => kind === 'warning')).toEqual([]);
  });

  it('says why its rows are gone also if the process ends before they are removed', async () => {
    const { id } = await begin();
    await ends(id);
    const removing = vi
      .spyOn(ExportFiles.prototype, 'removeData')
      .mockRejectedValueOnce(new Error('the process ended'));
    exports.dropAll();
    await expect.poll(() => tested.observations.map(({ kind }) => kind)).toContain('warning');
    removing.mockRestore();
    expect(readdirSync(join(folder, id)).length).toBeGreaterThan(1);
    exports = await tested.open();
    expect(stateOf(id)).toEqual(['failed', 'export.events_removed']);
    expect(readdirSync(join(folder, id))).toEqual(['export.json']);
  });

  it('stops at the next page if its token was revoked', async () => {
    tested.pages.pages = 3;
    tested.isLive = async () => false;
    const { id } = await begin();
    await ends(id);
    expect([stateOf(id), tested.pages.calls]).toEqual([['failed', 'auth.invalid'], 1]);
  });

  it('does not exist for its own token once that has other rights', async () => {
    const { id } = await begin();
    await ends(id);
    const narrowed = tokenOf('alice', {
      restrictions: { projects: ['alder'] },
    });
    expect(await codeOf(exports.read(id, narrowed, null))).toBe('export.unknown');
    expect(exports.list(narrowed)).toEqual([]);
  });

  it.each([
    ['changed', 4],
    ['deleted', null],
  ])('loses its rows once its endpoint is %s', async (_, later) => {
    const { id } = await begin();
    await ends(id);
    tested.version = later;
    expect(await codeOf(exports.read(id, alice, null))).toBe('export.incomplete');
    expect(stateOf(id)).toEqual(['failed', 'export.endpoint_changed']);
    await expect.poll(() => readdirSync(join(folder, id))).toEqual(['export.json']);
  });

  it('fails if its endpoint changes between two pages', async () => {
    tested.pages.pages = 2;
    tested.pages.failures = [undefined, new ServiceError('page.cursor', 'Another version.')];
    const { id } = await begin();
    await ends(id);
    expect(stateOf(id)).toEqual(['failed', 'export.endpoint_changed']);
  });

  it('loses its rows if the service starts with other deletions, retention or redaction', async () => {
    const { id } = await begin();
    await ends(id);
    await exports.close();
    tested.basis = 'second';
    exports = await tested.open();
    expect(stateOf(id)).toEqual(['failed', 'export.events_removed']);
    expect(readdirSync(join(folder, id))).toEqual(['export.json']);
  });

  it('breaks a download off when the reader may not call any more', async () => {
    const { id } = await begin();
    await ends(id);
    const data = await exports.read(id, alice, null);
    const revoked = new ServiceError('auth.invalid', 'Revoked.');
    const stream = data.open(0, data.bytes - 1, () => Promise.reject(revoked));
    tested.timer.advanceMs(500);
    expect(await codeOf(buffer(stream))).toBe('auth.invalid');
  });

  it('breaks a download off when its reader, who takes nothing, may not call any more', async () => {
    const { id } = await begin();
    await ends(id);
    const data = await exports.read(id, alice, null);
    const revoked = new ServiceError('auth.invalid', 'Revoked.');
    let again = async () => tokenOf('alice');
    const stream = data.open(0, data.bytes - 1, () => again());
    tested.timer.advanceMs(500);
    await expect.poll(() => tested.timer.pendingCount).toBe(2);
    expect(stream.destroyed).toBe(false);
    again = () => Promise.reject(revoked);
    tested.timer.advanceMs(500);
    await expect.poll(() => stream.errored).toBe(revoked);
    expect(tested.timer.pendingCount).toBe(1);
  });

  it('has at most as many rows as its token may stream', async () => {
    tested.pages.pages = 3;
    const token = tokenOf('alice', { restrictions: { projects: null, maxRows: 3 } });
    const { id } = await exports.begin({ ...callOf(), token }, never);
    await expect.poll(() => exports.find(id, token).state).toBe('complete');
    expect([exports.find(id, token).rows, exports.find(id, token).result?.truncatedBy]).toEqual([3, 'export_rows']);
  });

  it('fails with the reason of a killed query', async () => {
    tested.pages.failures = [new ServiceError('query.killed', 'The operator ended the query.')];
    const { id } = await begin();
    await ends(id);
    expect(stateOf(id)).toEqual(['failed', 'query.killed']);
  });

  it('tries a page again after an error that passes', async () => {
    tested.pages.pages = 2;
    const restarting = new ServiceError('engine.restarting', 'Restarting.', { retryAfterSeconds: 5 });
    tested.pages.failures = [restarting, undefined, restarting];
    const { id } = await begin();
    for (let failures = 0; failures < 2; failures++) {
      // That of the sweep, of the deadline, and of the next attempt.
      await expect.poll(() => tested.timer.pendingCount).toBe(3);
      tested.timer.advanceMs(5000);
    }
    await ends(id);
    expect([stateOf(id), tested.pages.calls]).toEqual([['complete', null], 4]);
  });

  it('is stopped at its deadline', async () => {
    tested.pages.hold = new Promise(() => {});
    const { id } = await begin();
    tested.timer.advanceMs(generous.timeoutMs);
    await ends(id);
    expect(stateOf(id)).toEqual(['failed', 'query.timeout']);
  });

  it('ends at the limits of rows and bytes, and says so', async () => {
    tested.pages.pages = 10;
    for (const [limits, rows, by] of [
      [{ rowsMax: 3 }, 3, 'export_rows'],
      [{ bytesMax: 30 }, 4, 'export_bytes'],
    ] as const) {
      await exports.close();
      exports = await tested.open(limits);
      const { id } = await begin();
      const record = await ends(id);
      expect([record.rows, record.result?.truncatedBy]).toEqual([rows, by]);
      expect(JSON.parse(await textOf(id)).meta).toMatchObject({ truncated: true, truncated_by: by });
    }
  });

  it('fails if exports take all the disk space that they may, or the disk is low; others then have room again', async () => {
    tested.pages.pages = 20;
    await exports.close();
    exports = await tested.open({ diskBytesMax: 500 });
    const { id } = await begin();
    await ends(id);
    expect(stateOf(id)).toEqual(['failed', 'export.disk_full']);
    tested.pages.pages = 1;
    const small = await begin('bob', 'csv');
    await ends(small.id, 'bob');
    expect(stateOf(small.id, 'bob')).toEqual(['complete', null]);
    tested.isDiskLow = true;
    const low = await begin('bob', 'csv');
    await ends(low.id, 'bob');
    expect(stateOf(low.id, 'bob')).toEqual(['failed', 'service.disk_full']);
  });

  it('is refused if its record cannot be written, and is not there then', async () => {
    vi.spyOn(ExportFiles.prototype, 'save').mockRejectedValueOnce(Object.assign(new Error(), { code: 'ENOSPC' }));
    expect(await codeOf(begin())).toBe('service.disk_full');
    await expect.poll(() => [readdirSync(folder), exports.list(alice)]).toEqual([[], []]);
  });

  it('is one of at most ten of a token, of which failed ones make room', async () => {
    for (let n = 0; n < 10; n++) await ends((await begin()).id);
    expect(await codeOf(begin())).toBe('export.limit');
    await ends((await begin('bob')).id, 'bob');
    exports.dropAll();
    await expect.poll(() => exports.list(alice).every(({ state }) => state === 'failed')).toBe(true);
    await ends((await begin()).id);
    expect(exports.list(alice)).toHaveLength(10);
  });

  it('leaves disk space for others, however many tokens for the same projects export', async () => {
    const ofTenant = (id: string) => tokenOf(id, { restrictions: restrictedTo(['p']) });
    await exports.close();
    exports = await tested.open({ diskBytesMax: 4000 });
    tested.pages.pages = 10;
    const states: (string | undefined)[] = [];
    for (let n = 0; n < 8; n++) {
      const tenant = ofTenant(`tenant${n}`);
      const { id } = await exports.begin({ ...callOf(), token: tenant }, never);
      await expect.poll(() => exports.find(id, tenant).endedMicros).not.toBeNull();
      states.push(exports.find(id, tenant).failure?.code);
    }
    expect(states).toContain('export.disk_full');
    const { id } = await begin('bob');
    expect((await ends(id, 'bob')).failure).toBeNull();
  });

  it('is counted as a call when it ends, with its rows', async () => {
    tested.pages.pages = 2;
    await ends((await begin()).id);
    await expect
      .poll(() => tested.observations.filter(({ kind }) => kind === 'request.completed'))
      .toMatchObject([{ route: 'exports.run', status: 200, call: { endpoint, token: 'alice', rowCount: 4 } }]);
  });
});
