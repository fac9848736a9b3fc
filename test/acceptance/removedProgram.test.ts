import { cpSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build, command, killAll, startService } from './startedService.ts';

let product: string;
beforeAll(() => {
  build();
  product = mkdtempSync(join(realpathSync(tmpdir()), 'logmill-product-'));
  const root = join(command, '..', '..', '..');
  cpSync(join(root, 'dist'), join(product, 'dist'), { recursive: true });
  for (const name of ['node_modules', 'package.json', 'definitions', 'pages'])
    symlinkSync(join(root, name), join(product, name));
});
afterAll(() => {
  killAll();
  rmSync(product, { recursive: true });
});

const enginePidsOf = (log: string) => [...log.matchAll(/"engine\.started","pid":(\d+)/g)].map(([, pid]) => Number(pid));

describe('a service whose program is removed while it runs', () => {
  it('says which of its files is gone, and starts its engine more and more rarely until it is back', async () => {
    const service = await startService([], { command: join(product, 'dist', 'cli', 'main.js') });
    const engine = join(product, 'dist', 'engine', 'main.cjs');
    renameSync(engine, `${engine}.gone`);
    process.kill(enginePidsOf(service.stderr()).at(-1) ?? 0, 'SIGKILL');
    const told = () => [
      ...service.stderr().matchAll(/because its program (\S+) is missing: .*? tried again in ([\d.]+) s/g),
    ];
    await expect.poll(() => told().length).toBeGreaterThanOrEqual(4);
    expect(
      told()
        .map(([, path, seconds]) => [path, seconds])
        .slice(0, 4),
    ).toEqual(['0.1', '0.2', '0.4', '0.8'].map((seconds) => [engine, seconds]));
    expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
    renameSync(`${engine}.gone`, engine);
    await expect.poll(() => enginePidsOf(service.stderr()).length).toBe(2);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    // One that waits for its engine ends at once all the same.
    const before = told().length;
    rmSync(engine);
    process.kill(enginePidsOf(service.stderr()).at(-1) ?? 0, 'SIGKILL');
    await expect.poll(() => told().length).toBeGreaterThan(before);
    expect(await service.stop()).toBe(0);
  });
});
