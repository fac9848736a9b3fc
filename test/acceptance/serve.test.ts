import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build, command, killAll, newDataDir, runCommand, startService } from './startedService.ts';

beforeAll(build);
afterAll(killAll);

describe('serve', () => {
  it('answers probes when it is ready, and ends with 0 on SIGTERM and on SIGINT', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const service = await startService([]);
      for (const path of ['/livez', '/readyz', '/health']) {
        const response = await fetch(`${service.url}${path}`);
        expect(response.status, path).toBe(200);
        await response.text();
      }
      expect(await service.stop(signal)).toBe(0);
    }
  });

  it('takes a signal that npm passes on a second time for the same one', async () => {
    const service = await startService([]);
    service.child.kill('SIGINT');
    expect(await service.stop('SIGINT')).toBe(0);
  });

  it('ends in phases when npm is told to end, and npm ends after it', async () => {
    const service = await startService([], { npm: 'run serve' });
    const holder = JSON.parse(readFileSync(join(service.dataDir, 'lock-holder.json'), 'utf8'));
    await service.stop('SIGTERM');
    expect(existsSync(join(service.dataDir, 'lock-holder.json'))).toBe(false);
    expect(() => process.kill(holder.pid, 0)).toThrow('ESRCH');
  });

  it('keeps the administration token out of its output when that is no terminal', async () => {
    const service = await startService([]);
    const file = join(service.dataDir, 'admin-token');
    expect(service.stdout()).toContain(file);
    expect(service.stdout() + service.stderr()).not.toContain(readFileSync(file, 'utf8').trim());
    expect(statSync(service.dataDir).mode & 0o777).toBe(0o700);
    await service.stop();
  });

  it('tells a second service on the same folder who holds it, and exits', async () => {
    const service = await startService([]);
    const second = await runCommand(['serve', '--port', '0', '--data-dir', service.dataDir]);
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(new RegExp(`is in use by a running service: process ${service.child.pid} on .*\\n$`));
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    await service.stop();
  });

  it.each([
    ['the engine ends', 'end'],
    ['the first statement with functions in JavaScript starts a process', 'functions'],
  ])('ends, and says why, instead of running parts of another build once %s', async (_when, cause) => {
    const product = mkdtempSync(join(tmpdir(), 'logmill-product-'));
    const root = join(command, '..', '..', '..');
    cpSync(join(root, 'dist'), join(product, 'dist'), { recursive: true });
    for (const name of ['node_modules', 'package.json', 'definitions', 'pages'])
      symlinkSync(join(root, name), join(product, name));
    const service = await startService([], { command: join(product, 'dist', 'cli', 'main.js') });
    const enginePids = () =>
      [...service.stderr().matchAll(/"engine\.started","pid":(\d+)/g)].map(([, pid]) => Number(pid));
    const endEngine = () => process.kill(enginePids().at(-1) ?? 0, 'SIGKILL');
    // The same build again, as a second start in one checkout makes it, is no other.
    const engine = join(product, 'dist', 'engine', 'main.cjs');
    const text = readFileSync(engine, 'utf8');
    rmSync(engine);
    writeFileSync(engine, text);
    const count = enginePids().length;
    endEngine();
    await expect.poll(() => enginePids().length).toBeGreaterThan(count);
    writeFileSync(engine, `${text}\n// Of another build.\n`);
    // Its usage is not written yet, and waits for no engine.
    const headers = { 'x-api-key': readFileSync(join(service.dataDir, 'admin-token'), 'utf8').trim() };
    const call = await fetch(`${service.url}/api/endpoints/query/logs.all?project=p`, { headers });
    expect([call.status, (await call.text()).length > 0]).toEqual([200, true]);
    // Only then all is read that it has written.
    const closed = once(service.child, 'close');
    if (cause === 'end') endEngine();
    else {
      const sql = encodeURIComponent(`select regexp_instr(event_message, 'a') as a from edge_logs`);
      const refused = await fetch(`${service.url}/api/endpoints/query/logs.all?project=p&sql=${sql}`, { headers });
      expect(refused.status).toBe(503);
    }
    expect((await closed)[0]).toBe(1);
    expect(service.stderr()).toContain('"kind":"engine.replaced"');
    expect(service.stderr()).toContain('"kind":"service.stopping","reason":"engine.replaced"');
    expect(service.stderr()).not.toContain('killed by timeout');
    expect(existsSync(join(service.dataDir, 'lock-holder.json'))).toBe(false);
    const next = await startService([], { dataDir: service.dataDir });
    expect(await next.stop()).toBe(0);
    rmSync(product, { recursive: true });
  });

  it('ends at once where another folder was put in the place of its own, and touches nothing there', async () => {
    const other = await startService([]);
    await other.stop();
    const service = await startService([]);
    const closed = once(service.child, 'close');
    const moved = `${service.dataDir}-moved`;
    renameSync(service.dataDir, moved);
    renameSync(other.dataDir, service.dataDir);
    const before = readdirSync(service.dataDir, { recursive: true }).sort();
    expect((await closed)[0]).toBe(1);
    expect(service.stderr()).toContain('"kind":"folder.gone"');
    expect(readdirSync(service.dataDir, { recursive: true }).sort()).toEqual(before);
    const next = await startService([], { dataDir: moved });
    expect(await next.stop()).toBe(0);
  });

  it('starts on a folder whose owner was killed with -9', async () => {
    const killed = await startService([]);
    await killed.stop('SIGKILL');
    const next = await startService([], { dataDir: killed.dataDir });
    expect((await fetch(`${next.url}/readyz`)).status).toBe(200);
    await next.stop();
  });

  it('says in a sentence that the port is in use, and makes nothing in the folder', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const dataDir = newDataDir();
    const refused = await runCommand(['serve', '--port', String(port), '--data-dir', dataDir, '--demo']);
    taken.close();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toBe(
      `127.0.0.1, port ${port}: another program uses the port. Choose another one with --port or LOGMILL_PORT, or 0 to let the system pick one.\n`,
    );
    expect(existsSync(join(dataDir, 'store.sqlite'))).toBe(false);
    expect(existsSync(join(dataDir, 'demo.json'))).toBe(false);
  });

  it('lets flags win over the environment, and tokens from outside be presented', async () => {
    const token = 'given-from-outside-0123456789abcdef';
    const service = await startService([], { environment: { LOGMILL_PORT: '1', LOGMILL_QUERY_TOKEN: token } });
    const call = (presented: string) =>
      fetch(`${service.url}/api/endpoints/query/usage.api-counts`, { headers: { 'x-api-key': presented } });
    expect((await call(token)).status).toBe(400);
    expect((await call(`${token}x`)).status).toBe(401);
    await service.stop();

    const changed = await startService([], {
      dataDir: service.dataDir,
      environment: { LOGMILL_QUERY_TOKEN: `${token}-2` },
    });
    const status = async (presented: string) =>
      (await fetch(`${changed.url}/api/endpoints/query/usage.api-counts`, { headers: { 'x-api-key': presented } }))
        .status;
    expect(await status(token)).toBe(401);
    expect(await status(`${token}-2`)).toBe(400);
    await changed.stop();
  });

  it('refuses what it does not know with the nearest name', async () => {
    const misspelt = await runCommand(['serve'], { environment: { LOGMILL_DATADIR: 'x' } });
    expect(misspelt).toMatchObject({
      code: 2,
      stderr: 'There is no setting LOGMILL_DATADIR. Did you mean LOGMILL_DATA_DIR?\n',
    });
    expect((await runCommand(['serve', '--prot', '1'])).stderr).toContain("unknown option '--prot'");
    expect((await runCommand(['sevre'])).code).toBe(2);
  });
});
