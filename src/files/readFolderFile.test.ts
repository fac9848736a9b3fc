import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readFolderFile, readRegularFile } from './readFolderFile.ts';

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'logmill-files-'));
  folder = join(root, 'folder');
  mkdirSync(folder);
  writeFileSync(join(root, 'secret.sql'), 'secret');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const read = (name: string, bytesMax = 100) => readFolderFile(folder, name, bytesMax).toString();

describe('a file of a folder', () => {
  it('is read, also through links that stay in the folder, as platforms mount files', () => {
    mkdirSync(join(folder, '..2026'));
    writeFileSync(join(folder, '..2026', 'a.sql'), 'select 1');
    symlinkSync('..2026', join(folder, '..data'));
    symlinkSync('..data/a.sql', join(folder, 'a.sql'));
    expect(read('a.sql')).toBe('select 1');
    symlinkSync(folder, join(root, 'other'));
    expect(readFolderFile(join(root, 'other'), 'a.sql', 100).toString()).toBe('select 1');
    writeFileSync(join(folder, 'empty.sql'), '');
    expect(read('empty.sql')).toBe('');
  });

  it('is none outside of it', () => {
    symlinkSync('../secret.sql', join(folder, 'x.sql'));
    symlinkSync(join(root, 'secret.sql'), join(folder, 'y.sql'));
    symlinkSync('x.sql', join(folder, 'z.sql'));
    symlinkSync(root, join(folder, 'up'));
    for (const name of ['x.sql', 'y.sql', 'z.sql', '../secret.sql', 'up/secret.sql']) {
      expect(() => read(name)).toThrow('leads out of its folder');
    }
  });

  it('is none that is no file, and nothing waits for one', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe.sql')]);
    mkdirSync(join(folder, 'folder.sql'));
    const server = createServer().listen(join(folder, 'socket.sql'));
    await new Promise((resolve) => server.once('listening', resolve));
    expect(() => read('pipe.sql')).toThrow('is a pipe, not a file');
    expect(() => read('folder.sql')).toThrow('is a folder, not a file');
    expect(() => read('socket.sql')).toThrow('is a socket, not a file');
    expect(() => readFolderFile('/dev', 'null', 100)).toThrow('is a device, not a file');
    server.close();
    symlinkSync('loop.sql', join(folder, 'loop.sql'));
    expect(() => read('loop.sql')).toThrow('leads back to itself');
    expect(() => read('missing.sql')).toThrow('ENOENT');
  });

  it('is read up to a bound', () => {
    writeFileSync(join(folder, 'a.sql'), 'x'.repeat(100));
    expect(read('a.sql')).toHaveLength(100);
    expect(() => read('a.sql', 99)).toThrow('has more than 99 bytes, the most that are read');
  });

  it.runIf(process.platform === 'linux')('is read up to a bound also if its size is not known', () => {
    expect(String(readRegularFile('/proc/self/status', 1e6))).toMatch(/^Name:.*\nPid:/s);
    expect(() => readRegularFile('/proc/self/status', 9)).toThrow('has more than 9 bytes, the most that are read');
  });
});
