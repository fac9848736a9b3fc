import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'libsql';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { builtModule } from '../../test/support/builtModule.ts';
import { SmallDisk } from '../../test/support/smallDisk.ts';
import { lockFolder, readFolderHolder } from './folderLock.ts';
import { StartError } from './startError.ts';

const script = `
  import { lockFolder } from ${builtModule('folderLock')};
  try { globalThis.held = lockFolder(process.argv[1], 0); console.log('owner'); setInterval(() => {}, 1e6); }
  catch (error) { console.log('refused: ' + error.message); }
`;

/** A user whom nothing belongs to; root may write everywhere. */
const nobody = 65_534;

const children: ChildProcess[] = [];

/** Starts a process that locks the folder, as another user if one is given; returns its first line and the process. */
async function start(folder: string, user?: number): Promise<{ readonly line: string; readonly child: ChildProcess }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, '--', folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(user === undefined ? {} : { uid: user, gid: user }),
  });
  children.push(child);
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { line: String(line), child };
}

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

const disk = SmallDisk.mount(2 * 2 ** 20);
afterAll(() => disk?.remove());

const newFolder = () => join(mkdtempSync(join(tmpdir(), 'logmill-lock-')), 'data');

describe('lockFolder', () => {
  it('does not take a look at the lock, such as that of the doctor, for an owner', () => {
    const folder = newFolder();
    lockFolder(folder, 0).release();
    const looking = new Database(join(folder, 'lock'), { timeout: 0 });
    looking.exec('BEGIN; SELECT count(*) FROM sqlite_schema');
    expect(() => lockFolder(folder, 0, () => false)).toThrow('in use');
    let asked = 0;
    const again = () => {
      asked += 1;
      if (asked === 2) looking.exec('COMMIT');
      return true;
    };
    lockFolder(folder, 0, again).release();
    expect(asked).toBe(2);
    looking.close();
    const owner = lockFolder(folder, 0);
    let left = 3;
    expect(() => lockFolder(folder, 0, () => left-- > 0)).toThrow('in use');
    expect(left).toBe(-1);
    owner.release();
  });

  it.skipIf(disk === null)(
    'holds a folder on a full disk after its last owner was killed, and says who holds it',
    () => {
      const folder = join(disk?.path ?? '', 'data');
      lockFolder(folder, 0).release();
      // The killed owner left it.
      writeFileSync(join(folder, 'lock-holder.json'), '{"pid":1,"host":"x","startedAt":"1970-01-01T00:00:00Z"}');
      disk?.fill();
      const lock = lockFolder(folder, 0);
      expect(lock.announce('http://127.0.0.1:4000')).toBe(true);
      expect(readFolderHolder(folder)?.url).toBe('http://127.0.0.1:4000');
      lock.release();
      disk?.empty();
    },
  );

  it.skipIf(disk === null)(
    'holds a folder on a full disk after its last owner ended, and says who holds it as soon as there is space',
    () => {
      const folder = join(disk?.path ?? '', 'data');
      lockFolder(folder, 0).release();
      disk?.fill();
      const lock = lockFolder(folder, 0);
      expect(() => lockFolder(folder, 0)).toThrow('is in use by another running service');
      expect(lock.announce('http://127.0.0.1:4000')).toBe(false);
      expect(readFolderHolder(folder)).toEqual({ description: 'another running service', url: undefined });
      disk?.empty();
      expect(lock.announce('http://127.0.0.1:4000')).toBe(true);
      expect(readFolderHolder(folder)?.url).toBe('http://127.0.0.1:4000');
      lock.release();
    },
  );

  it('locks out, and is locked out by, a release that keeps a journal of its lock on the disk', () => {
    const folder = newFolder();
    lockFolder(folder, 0).release();
    // Left when that release was killed.
    writeFileSync(join(folder, 'lock-journal'), Buffer.alloc(512));
    const owner = lockFolder(folder, 0);
    const other = new Database(join(folder, 'lock'), { timeout: 0 });
    expect(() => other.exec('BEGIN EXCLUSIVE')).toThrow('locked');
    owner.release();
    other.exec('BEGIN EXCLUSIVE');
    expect(() => lockFolder(folder, 0, () => false)).toThrow('in use');
    other.close();
    lockFolder(folder, 0).release();
  });

  it('makes the folder, readable by its owner only', () => {
    const folder = newFolder();
    const lock = lockFolder(folder, 0);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    lock.release();
  });

  it('refuses a second owner in the same process and lets it in after release', () => {
    const folder = newFolder();
    const lock = lockFolder(folder, 0);
    expect(() => lockFolder(folder, 0)).toThrow(StartError);
    lock.release();
    lockFolder(folder, 0).release();
    expect(existsSync(join(folder, 'lock-holder.json'))).toBe(false);
  });

  it('is held no more where the folder was moved, replaced or removed, and leaves what is there alone', () => {
    for (const change of [
      (folder: string) => renameSync(folder, `${folder}-moved`),
      (folder: string) => rmSync(join(folder, 'lock')),
      (folder: string) => {
        renameSync(folder, `${folder}-moved`);
        mkdirSync(folder);
        writeFileSync(join(folder, 'lock'), '');
        writeFileSync(join(folder, 'lock-holder.json'), 'of another service');
      },
    ]) {
      const folder = newFolder();
      const lock = lockFolder(folder, 0);
      expect(lock.isHeld).toBe(true);
      const holder = join(folder, 'lock-holder.json');
      change(folder);
      expect(lock.isHeld).toBe(false);
      const isThere = existsSync(holder);
      lock.release();
      expect(existsSync(holder)).toBe(isThere);
    }
  });

  it('tells the second process who holds the folder', async () => {
    const folder = newFolder();
    const { child } = await start(folder);
    expect(() => lockFolder(folder, 0)).toThrow(`process ${child.pid} on `);
    expect((await start(folder)).line).toMatch(/^refused: .* is in use by a running service: process \d+ on /);
  });

  it('is free at once after kill -9 of its owner, whatever the holder file says', async () => {
    const folder = newFolder();
    const { child } = await start(folder);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(existsSync(join(folder, 'lock-holder.json'))).toBe(true);
    lockFolder(folder, 0).release();
  });

  it('lets exactly one of many starts at once win', async () => {
    const folder = newFolder();
    const lines = (await Promise.all(Array.from({ length: 6 }, () => start(folder)))).map(({ line }) => line);
    expect(lines.filter((line) => line === 'owner')).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith('refused: '))).toHaveLength(5);
  });

  it('refuses a path that is a file with a sentence', () => {
    const file = newFolder();
    writeFileSync(file, '');
    expect(() => lockFolder(file, 0)).toThrow(/^The data folder .* cannot be created: a file has that name \(EEXIST\)/);
  });

  it.runIf(process.platform === 'linux')(
    'refuses a folder that the system does not let anyone make with a sentence',
    () => {
      expect(() => lockFolder('/proc/nowhere', 0)).toThrow(
        'The data folder /proc/nowhere cannot be created: part of the path does not exist (ENOENT). Choose another folder with --data-dir or LOGMILL_DATA_DIR.',
      );
    },
  );

  it('says of a folder that its user may not write to that it is so, and how to give another', async () => {
    const folder = newFolder();
    mkdirSync(folder, { mode: 0o555 });
    chmodSync(dirname(folder), 0o755);
    const isRoot = process.getuid?.() === 0;
    expect((await start(folder, isRoot ? nobody : undefined)).line).toBe(
      `refused: The data folder ${folder} cannot be used: this user has no right to write there (EACCES). ` +
        'Choose another folder with --data-dir or LOGMILL_DATA_DIR.',
    );
  });

  it('says why a lock file cannot be opened where SQLite gives no code', () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'lock'), { recursive: true });
    expect(() => lockFolder(folder, 0)).toThrow(/cannot be locked: .*lock.*\.$/);
  });
});
