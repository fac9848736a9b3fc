import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemRandomness } from '../../../src/core/ids.ts';
import { settingsSchema } from '../../../src/start/settings.ts';
import { type RunningService, startService } from '../../../src/start/startService.ts';
import { type CommandResult, runCommandLine, runOffline } from '../../support/commandLine.ts';
import { memory } from '../../support/enginesUnderTest.ts';
import { type AnswerBody, startWholeService, type WholeService } from '../../support/wholeService.ts';

const nowMicros = Date.UTC(2026, 4, 1, 12) * 1000;
let service: WholeService;
let root: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'logmill-backups-'));
  // Small segments, so that files are rotated, sealed and merged while a backup is made.
  service = await startWholeService({ nowMicros, settings: { segmentEvents: 1000 } });
});
afterAll(async () => {
  await service.close();
  rmSync(root, { recursive: true, force: true });
});

const event = (id: string, project: string) => ({
  id,
  timestamp: new Date(nowMicros / 1000 - 60_000).toISOString(),
  project,
  event_message: `GET ${id}`,
  metadata: { request: { path: `/rest/v1/${id}` }, response: { status_code: 200 } },
});

async function sendBatch(url: string, token: string, name: string, count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, (_, index) => `${name}-${index}`);
  const response = await fetch(`${url}/api/logs?source=edge_logs`, {
    method: 'POST',
    headers: { 'x-api-key': token, 'content-type': 'application/json', 'idempotency-key': name },
    body: JSON.stringify(ids.map((id, index) => event(id, `project-${index % 3}`))),
  });
  expect(response.status).toBe(200);
  return ids;
}

/** Every row that the events have, of all projects. */
async function rowsOf(url: string, token: string): Promise<readonly string[]> {
  const rows: string[] = [];
  for (const project of ['project-0', 'project-1', 'project-2']) {
    for (const digit of '0123456789abcdef') {
      const sql = `select id, event_message, metadata from edge_logs where starts_with(to_hex(md5(id)), '${digit}') order by id limit 1000`;
      const query = new URLSearchParams({ project, sql });
      const response = await fetch(`${url}/api/endpoints/query/logs.all?${query}`, { headers: { 'x-api-key': token } });
      const { result, meta } = (await response.json()) as AnswerBody;
      expect(meta.truncated).toBe(false);
      rows.push(...result.map((row: unknown) => JSON.stringify(row)));
    }
  }
  return rows.sort();
}

async function managed(url: string, token: string, path: string): Promise<unknown> {
  const response = await fetch(`${url}${path}`, { headers: { 'x-api-key': token } });
  expect(response.status).toBe(200);
  return await response.json();
}

async function onRestored<T>(dataDir: string, use: (restored: RunningService) => Promise<T>): Promise<T> {
  // What a crash left of a backup: a copy of the store.
  const copies = join(dataDir, 'backup-copies');
  mkdirSync(copies, { recursive: true });
  writeFileSync(join(copies, 'left.sqlite'), 'x');
  const restored = await startService({
    settings: settingsSchema.parse({ port: 0, dataDir, logLevel: 'silent' }),
    clock: service.clock,
    randomness: systemRandomness,
    observe: (observation) => {
      if (observation.kind === 'file.damaged') throw new Error(`${observation.file} is damaged after the restore`);
    },
    demo: false,
    progress: () => undefined,
  });
  expect(existsSync(copies)).toBe(false);
  try {
    return await use(restored);
  } finally {
    await restored.close('end of the test');
  }
}

/** A command that reads no service. */
const offline = async (args: readonly string[]): Promise<CommandResult> => await runOffline(args, nowMicros);

describe('a backup of a running service', () => {
  it('restores all that was acknowledged before it began, whole batches only, while events come in and files are merged', async () => {
    const before: string[] = [];
    for (let batch = 0; batch < 6; batch++) {
      before.push(...(await sendBatch(service.url, service.adminToken, `before-${batch}`, 700)));
    }
    await service.define({
      id: '0f4f2f5c-6f0e-4b0e-9d5a-6a3c3d0d8c11',
      name: 'team.errors',
      query: 'with e as (select id from sources.edge_logs) select id from e',
    });
    const reader = await service.makeToken(['query']);
    let isWriting = true;
    const during: (readonly string[])[] = [];
    const writing = (async () => {
      for (let batch = 0; isWriting; batch++) {
        during.push(await sendBatch(service.url, service.adminToken, `during-${batch}`, 100));
      }
    })();
    const folder = join(root, 'first');
    const made = await runCommandLine(service, ['backup', folder, '--json']);
    isWriting = false;
    await writing;
    expect([made.err, made.code]).toEqual(['', 0]);
    const { events } = JSON.parse(made.out);
    expect(events).toBeGreaterThanOrEqual(before.length);
    // The administration token is a secret of the folder and not in the store.
    expect(readdirSync(folder, { recursive: true }).filter((name) => String(name).includes('token'))).toEqual([]);

    const dataDir = join(root, 'restored');
    const restoredBy = await offline(['restore', folder, '--data-dir', dataDir]);
    expect([restoredBy.err, restoredBy.code]).toEqual(['', 0]);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    expect(statSync(join(dataDir, 'store.sqlite')).mode & 0o777).toBe(0o600);
    const original = await rowsOf(service.url, service.adminToken);
    const [endpoints, tokens, audit] = await Promise.all(
      ['/api/endpoints', '/api/tokens', '/api/audit'].map((path) => managed(service.url, service.adminToken, path)),
    );
    await onRestored(dataDir, async (restored) => {
      expect(restored.adminToken).toBeUndefined();
      const rows = await rowsOf(restored.url, service.adminToken);
      const ids = new Set(rows.map((row) => JSON.parse(row).id));
      // The service counts its calls as events of its own, which these are not.
      expect(rows.length).toBeLessThanOrEqual(events);
      expect(before.filter((id) => !ids.has(id))).toEqual([]);
      // No row is another one than it was, none is there twice, and of each batch all or nothing.
      const known = new Set(original);
      expect(rows.filter((row) => !known.has(row))).toEqual([]);
      expect(ids.size).toBe(rows.length);
      for (const batch of during) expect([0, batch.length]).toContain(batch.filter((id) => ids.has(id)).length);
      expect(await managed(restored.url, service.adminToken, '/api/endpoints')).toEqual(endpoints);
      expect(await managed(restored.url, service.adminToken, '/api/tokens')).toMatchObject({
        result: (tokens as { result: { id: string }[] }).result.map(({ id }) => ({ id })),
      });
      // What was recorded after the backup began is the only difference.
      const kept = (await managed(restored.url, service.adminToken, '/api/audit')) as { result: unknown[] };
      const all = (audit as { result: { action: string }[] }).result;
      expect(all[0]?.action).toBe('backup.create');
      expect(kept.result).toEqual(all.slice(1));
      // A token works as before, and a batch that is sent again is still known.
      expect(
        (
          await fetch(`${restored.url}/api/endpoints/query/logs.all?project=project-0`, {
            headers: { 'x-api-key': reader },
          })
        ).status,
      ).toBe(200);
      await sendBatch(restored.url, service.adminToken, 'before-5', 700);
      expect(await rowsOf(restored.url, service.adminToken)).toEqual(rows);
    });

    // The next one copies no sealed file again that has not been merged since.
    const again = JSON.parse((await runCommandLine(service, ['backup', folder, '--json'])).out);
    const third = JSON.parse((await runCommandLine(service, ['backup', folder, '--json'])).out);
    expect(again.events).toBeGreaterThanOrEqual(original.length);
    expect(third.reused_files).toBeGreaterThan(0);
    expect((await offline(['restore', folder, '--check'])).out).toContain('is intact');
  });

  it('leaves nothing behind in the data folder', async () => {
    expect(readdirSync(join(service.dataDir, 'backup-copies'))).toEqual([]);
  });

  it.each([
    ['without the scope query', ['manage', 'ingest'], undefined, 'auth.scope'],
    ['without the scope manage', ['query', 'observe'], undefined, 'auth.scope'],
    [
      'of one endpoint only',
      ['manage', 'query:endpoint:d9a2e433-3286-44d9-a3b2-96b88c809d76'],
      undefined,
      'auth.scope',
    ],
    ['restricted to projects', ['manage', 'query'], ['project-0'], 'auth.project'],
  ] as const)('is refused to a token %s', async (_, scopes, projects, code) => {
    const token = await service.makeToken(scopes, projects);
    const response = await fetch(`${service.url}/api/backups`, { method: 'POST', headers: { 'x-api-key': token } });
    expect([response.status, ((await response.json()) as AnswerBody).code]).toEqual([403, code]);
  });

  it('is another token’s business alone', async () => {
    const call = async (method: string, path: string, token: string) =>
      await fetch(`${service.url}/api/backups${path}`, { method, headers: { 'x-api-key': token } });
    const { id } = (await (await call('POST', '', service.adminToken)).json()) as { id: string };
    const other = await service.makeToken(['manage', 'query']);
    expect((await call('GET', `/${id}/files/store.sqlite`, other)).status).toBe(404);
    expect((await call('DELETE', `/${id}`, other)).status).toBe(404);
    expect((await call('GET', `/${id}/files/admin-token`, service.adminToken)).status).toBe(404);
    expect((await call('GET', `/${id}/files/..%2Fadmin-token`, service.adminToken)).status).toBe(404);
    expect((await call('DELETE', `/${id}`, service.adminToken)).status).toBe(200);
  });

  it('is told apart from one of a folder: that a running service owns is not copied behind its back', async () => {
    const { code, err } = await offline(['backup', join(root, 'behind'), '--data-dir', service.dataDir]);
    expect(code).toBe(1);
    expect(err).toContain('is in use by a running service');
    expect(existsSync(join(root, 'behind'))).toBe(false);
  });

  it('is refused if the engine takes no snapshots', async () => {
    const { url, adminToken, close } = await startService({
      settings: settingsSchema.parse({ port: 0, dataDir: join(root, 'no-snapshots'), logLevel: 'silent' }),
      clock: service.clock,
      randomness: systemRandomness,
      observe: () => undefined,
      demo: false,
      progress: () => undefined,
      openEngine: memory.openForService,
    });
    try {
      const headers = { 'x-api-key': adminToken ?? '' };
      const response = await fetch(`${url}/api/backups`, { method: 'POST', headers });
      expect(await response.json()).toMatchObject({ status: 501, code: 'backup.unsupported' });
    } finally {
      await close('end of the test');
    }
  });
});

describe('a backup of a stopped folder', () => {
  it('restores the same rows', async () => {
    const stopped = join(root, 'restored');
    const rows = await onRestored(stopped, async ({ url }) => await rowsOf(url, service.adminToken));
    const made = await offline(['backup', join(root, 'second'), '--data-dir', stopped]);
    expect([made.err, made.code]).toEqual(['', 0]);
    const [, events = ''] = /Backed up ([\d,]+) events/.exec(made.out) ?? [];
    expect(Number(events.replaceAll(',', ''))).toBeGreaterThanOrEqual(rows.length);
    const target = join(root, 'restored-again');
    expect((await offline(['restore', join(root, 'second'), '--data-dir', target])).code).toBe(0);
    expect(await onRestored(target, async ({ url }) => await rowsOf(url, service.adminToken))).toEqual(rows);
    expect(rows.length).toBeGreaterThan(4000);
  });

  it('refuses a folder that is none', async () => {
    const { code, err } = await offline(['backup', join(root, 'third'), '--data-dir', root]);
    expect([code, err]).toEqual([1, expect.stringContaining('is not the data folder')]);
  });
});
