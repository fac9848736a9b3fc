import { chmodSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/core/clock.ts';
import { systemRandomness } from '../../../src/core/ids.ts';
import type { Observation } from '../../../src/core/observation.ts';
import type { Finding } from '../../../src/start/doctor/finding.ts';
import { runDoctor } from '../../../src/start/doctor/runDoctor.ts';
import { settingsSchema } from '../../../src/start/settings.ts';
import { startService } from '../../../src/start/startService.ts';
import { runCommandLine } from '../../support/commandLine.ts';
import { damageFile } from '../../support/damageFile.ts';

const nowMicros = Date.UTC(2026, 4, 1, 12) * 1000;
const clock = new ManualClock(nowMicros);
const machine = { nodeVersion: '22.0.0', memoryBytes: 2 ** 34, processors: 64, openFilesMax: 65_536 };
let root: string;
let dataDir: string;
let adminToken = '';

async function diagnose(flags: Readonly<Record<string, string>> = {}, isDeep = false, at = nowMicros) {
  return await runDoctor({
    settings: { environment: {}, flags: { dataDir, port: '0', ...flags } },
    machine,
    clock: new ManualClock(at),
    isDeep,
  });
}

const bad = (findings: readonly Finding[]) => findings.filter(({ status }) => status !== 'ok');
const checksOf = (findings: readonly Finding[]) => bad(findings).map(({ check, status }) => `${status} ${check}`);

async function withService<T>(
  use: (service: { url: string; port: string; observations: readonly Observation[] }) => Promise<T>,
): Promise<T> {
  const observations: Observation[] = [];
  const service = await startService({
    // Nothing is merged, so that each part of the test keeps its file.
    settings: settingsSchema.parse({ port: 0, dataDir, logLevel: 'silent', segmentEvents: 1000, diskFreeMin: 0 }),
    clock,
    randomness: systemRandomness,
    observe: (observation) => observations.push(observation),
    demo: false,
    progress: () => undefined,
  });
  adminToken = service.adminToken ?? adminToken;
  try {
    return await use({ url: service.url, port: new URL(service.url).port, observations });
  } finally {
    await service.close('end of the test');
  }
}

async function send(url: string, name: string, project: string, hoursAgo: number, count = 1001): Promise<void> {
  const events = Array.from({ length: count }, (_, index) => ({
    id: `${name}-${index}`,
    timestamp: new Date(nowMicros / 1000 - hoursAgo * 3_600_000 + index).toISOString(),
    project,
    event_message: `${name} ${index} ${Math.random()}`,
    metadata: { response: { status_code: 200 } },
  }));
  const response = await fetch(`${url}/api/logs?source=edge_logs`, {
    method: 'POST',
    headers: { 'x-api-key': adminToken, 'content-type': 'application/json' },
    body: JSON.stringify(events),
  });
  expect(response.status).toBe(200);
}

async function call(url: string, parameters: Readonly<Record<string, string>>) {
  const response = await fetch(`${url}/api/endpoints/query/logs.all?${new URLSearchParams(parameters)}`, {
    headers: { 'x-api-key': adminToken },
  });
  const body = (await response.json()) as {
    result: { id: string }[];
    meta: { notices: { code: string; message: string }[] };
  };
  return { status: response.status, etag: response.headers.get('etag'), body };
}

/** The code with which a token is refused the findings. */
async function codeOf(url: string, scopes: readonly string[], projects?: readonly string[]): Promise<unknown> {
  const restrictions = projects === undefined ? {} : { projects };
  const made = await fetch(`${url}/api/tokens`, {
    method: 'POST',
    headers: { 'x-api-key': adminToken, 'content-type': 'application/json' },
    body: JSON.stringify({ description: 'asks for findings', scopes, restrictions }),
  });
  const { token } = (await made.json()) as { readonly token: string };
  const response = await fetch(`${url}/api/doctor`, { headers: { 'x-api-key': token } });
  return ((await response.json()) as { readonly code?: unknown }).code;
}

const sealed = () =>
  readdirSync(join(dataDir, 'events'))
    .filter((name) => /^sealed-\d+\.duckdb$/.test(name))
    .sort();

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'logmill-doctor-'));
  dataDir = join(root, 'data');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('the doctor', () => {
  it('says of a folder that is not there yet how it comes about, and names settings that do not fit', async () => {
    expect(checksOf(await diagnose())).toEqual(['fail data folder']);
    const findings = await diagnose({ memory: 'lots', port: '70000' });
    expect(checksOf(findings)).toEqual(['fail settings', 'fail settings']);
    for (const { advice } of bad(findings)) expect(advice).toBeTruthy();
  });

  it('finds nothing wrong with a service that runs, nor with its folder when it has stopped', async () => {
    await withService(async ({ url, port }) => {
      await send(url, 'first', 'p', 3);
      await send(url, 'second', 'q', 2);
      await send(url, 'third', 'q', 1, 5);
      await expect.poll(() => sealed().length).toBe(2);
      const findings = await diagnose({ port }, true);
      expect(bad(findings)).toEqual([]);
      expect(findings.find(({ check }) => check === 'lock')?.message).toContain(`process ${process.pid}`);
      expect(findings.find(({ check }) => check === 'service')?.message).toContain('ready');
      expect(findings.filter(({ check }) => check === 'read through')).toHaveLength(2);
      const elsewhere = await diagnose({ port: String(Number(port) === 4001 ? 4002 : 4001) });
      expect(checksOf(elsewhere)).toEqual(['warn port']);
      expect(bad(elsewhere)[0]?.message).toContain(`listens on ${url},`);
      expect(elsewhere.find(({ check }) => check === 'service')?.message).toContain(`${url}/readyz reports`);
      // Its findings are about everything, so the API gives them to managers of every project only.
      expect(await codeOf(url, ['manage'], ['p'])).toBe('auth.project');
      expect(await codeOf(url, ['observe'])).toBe('auth.scope');
    });
    const findings = await diagnose({}, true);
    expect(bad(findings)).toEqual([]);
    // The one that receives events is read through as well.
    expect(findings.filter(({ check }) => check === 'read through').length).toBeGreaterThanOrEqual(3);
  });

  it('tells of rights, the port, the clock and a budget that the disk does not have', async () => {
    chmodSync(join(dataDir, 'admin-token'), 0o644);
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? String(address.port) : '';
    const year = 365 * 86_400 * 1e6;
    expect(checksOf(await diagnose({ port, diskBudget: '900000GiB' }, false, nowMicros - year))).toEqual([
      'fail permissions',
      'fail port',
      'warn disk budget',
      'fail clock',
    ]);
    server.close();
    chmodSync(join(dataDir, 'admin-token'), 0o600);
    expect(checksOf(await diagnose())).toEqual([]);
  });

  it('is a command with an exit code, in lines and as JSON', async () => {
    const service = { url: '', adminToken: '' };
    const args = ['doctor', '--data-dir', dataDir, '--port', '0'];
    const { out } = await runCommandLine(service, args);
    expect(out).toMatch(/^ok {4}settings/);
    const json = await runCommandLine(service, [...args, '--memory', 'lots', '--json']);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.out).findings[0]).toMatchObject({ check: 'settings', status: 'fail' });
  });

  it('fails on a folder that is not there, and says which it looked for', async () => {
    const missing = join(root, 'misspelt');
    const { code, out } = await runCommandLine({ url: '', adminToken: '' }, ['doctor', '--data-dir', missing]);
    expect(code).toBe(1);
    expect(out).toContain(`fail  data folder    ${missing} does not exist`);
  });

  it('names files that are missing, unknown or damaged, before and after the service has set them aside', async () => {
    const [first = '', second = ''] = sealed();
    const path = join(dataDir, 'events', first);
    renameSync(path, `${path}.away`);
    expect(checksOf(await diagnose())).toEqual(['fail event files']);
    renameSync(`${path}.away`, path);
    writeFileSync(join(dataDir, 'events', 'sealed-99.duckdb'), 'x');
    expect(checksOf(await diagnose())).toEqual(['warn event files']);
    rmSync(join(dataDir, 'events', 'sealed-99.duckdb'));
    damageFile(path, 16_384, 12_288);
    expect(checksOf(await diagnose())).toEqual([]);
    const deep = await diagnose({}, true);
    expect(checksOf(deep)).toEqual(['fail read through']);
    expect(bad(deep)[0]?.message).toContain(first);
    expect(sealed()).toEqual([first, second]);
  });
});

describe('a service on a damaged file', () => {
  it('answers the rest at once, tells whom it concerns and nobody else, and the doctor names the file', async () => {
    const [first = ''] = sealed();
    await withService(async ({ url, observations }) => {
      const concerned = await call(url, { project: 'p' });
      expect([concerned.status, concerned.body.result]).toEqual([200, []]);
      const [notice] = concerned.body.meta.notices;
      expect(concerned.body.meta.notices.map(({ code }) => code)).toEqual(['data.damaged_file']);
      // Nothing of the file, its other projects or the engine.
      expect(notice?.message).not.toMatch(/sealed|duckdb|checksum|block|"q"/);
      expect(concerned.etag).toContain('.damaged');
      const others = await call(url, { project: 'q' });
      expect([others.body.result.length, others.body.meta.notices]).toEqual([100, []]);
      const since = new Date(nowMicros / 1000 - 3_600_000).toISOString();
      expect((await call(url, { project: 'p', iso_timestamp_start: since })).body.meta.notices).toEqual([]);
      const damaged = observations.filter(({ kind }) => kind === 'file.damaged');
      expect(damaged).toMatchObject([{ file: first, reason: expect.stringContaining('Corrupt') }]);
    });
    const findings = await diagnose();
    expect(checksOf(findings)).toEqual(['fail damaged file']);
    expect(bad(findings)[0]?.message).toContain(first);
    expect(readdirSync(join(dataDir, 'events', 'damaged'))).toEqual([first]);
  });
});
