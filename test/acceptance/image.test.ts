import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readContainerfile } from '../support/containerfile.ts';
import { cleanEnvironment, productionPackages } from './startedService.ts';

const root = join(import.meta.dirname, '..', '..');
const [build, final] = readContainerfile(
  readFileSync(join(root, 'examples', 'container', 'Containerfile'), 'utf8'),
).stages;

const folder = mkdtempSync(join(tmpdir(), 'logmill-image-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A user that owns nothing; undefined where this process cannot become it, or it could not read the packages. */
const nobody = 65_534;
const other = process.getuid?.() === 0 && canRead() ? { uid: nobody, gid: nobody } : {};

function canRead(): boolean {
  const reading = ['-e', `require('fs').readFileSync(${JSON.stringify(join(root, 'package.json'))})`];
  return spawnSync(process.execPath, reading, { uid: nobody, gid: nobody }).status === 0;
}

describe('the image of examples/container', () => {
  it('is built from what it copies, and serves from read-only files, watched by its health check', async () => {
    const source = join(folder, 'build');
    for (const { sources, target } of build?.copies ?? []) {
      for (const each of sources) {
        // A folder is copied to the name that stands there, files are copied into it.
        const into = target === './' ? join(source, each) : join(source, target);
        cpSync(join(root, each), into, { recursive: true });
      }
    }
    // In the place of "npm ci", which a test without a network cannot run.
    symlinkSync(join(root, 'node_modules'), join(source, 'node_modules'));
    const steps = build?.runs.filter((run) => !run.startsWith('npm ci')) ?? [];
    expect(steps).toHaveLength(2);
    for (const step of steps) execFileSync('sh', ['-c', step], { cwd: source, env: cleanEnvironment(), stdio: 'pipe' });
    const [tarball = ''] = readdirSync(join(source, 'packed'));

    const modules = join(folder, 'lib', 'node_modules');
    mkdirSync(join(modules, 'logmill'), { recursive: true });
    execFileSync('tar', [
      '-xzf',
      join(source, 'packed', tarball),
      '-C',
      join(modules, 'logmill'),
      '--strip-components=1',
    ]);
    for (const path of productionPackages()) {
      mkdirSync(dirname(join(folder, 'lib', path)), { recursive: true });
      symlinkSync(join(root, path), join(folder, 'lib', path));
    }
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir, { mode: 0o700 });
    chmodSync(folder, 0o755);
    if (other.uid !== undefined) chownSync(dataDir, nobody, nobody);

    const environment = Object.fromEntries(final?.environment ?? []);
    const command = join(modules, 'logmill', 'dist', 'cli', 'main.js');
    const service = spawn(process.execPath, [command, ...words(final?.single.get('CMD'))], {
      ...other,
      cwd: dataDir,
      env: {
        ...environment,
        PATH: process.env.PATH ?? '',
        LOGMILL_HOST: '127.0.0.1',
        LOGMILL_PORT: '0',
        LOGMILL_DATA_DIR: dataDir,
        // Nothing there can be written, as nothing but the data can in the image.
        HOME: '/proc/nowhere',
        TMPDIR: '/proc/nowhere',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exited = once(service, 'exit');
    let printed = '';
    service.stderr.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    const url = await new Promise<string>((resolve, reject) => {
      service.stdout.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
        const found = /listening on (http:\/\/\S+)/.exec(printed)?.[1];
        if (found !== undefined) resolve(found);
      });
      void exited.then(() => reject(new Error(`the service ended before it was ready:\n${printed}`)));
    });
    try {
      const [, check = ''] = /CMD (\[.*\])$/.exec(final?.single.get('HEALTHCHECK') ?? '') ?? [];
      const [name, ...args] = words(check);
      expect(name).toBe('logmill');
      const health = (address: string) =>
        spawnSync(process.execPath, [command, ...args], {
          ...other,
          env: { PATH: process.env.PATH ?? '', LOGMILL_URL: address },
          encoding: 'utf8',
        });
      expect(health(url)).toMatchObject({ status: 0, stdout: `${url} is ready.\n` });
      expect(health('http://127.0.0.1:1').status).toBe(1);
      const event = { project: 'p', event_message: 'm', timestamp: Date.now() * 1000 };
      const token = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
      const sent = await fetch(`${url}/api/logs?source=edge_logs`, {
        method: 'POST',
        headers: { 'x-api-key': token, 'content-type': 'application/json' },
        body: JSON.stringify([event]),
      });
      expect(sent.status).toBe(200);
    } finally {
      service.kill(final?.single.get('STOPSIGNAL') as NodeJS.Signals);
    }
    expect((await exited)[0]).toBe(0);
    expect(existingBeside(dataDir)).toEqual(['build', 'data', 'lib']);
  });
});

function existingBeside(path: string): readonly string[] {
  return readdirSync(dirname(path)).sort();
}

/** The words of an instruction in its form of a JSON array. */
function words(text: string | undefined): readonly string[] {
  return text === undefined ? [] : JSON.parse(text);
}
