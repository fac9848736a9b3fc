import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemRandomness } from '../core/ids.ts';
import type { BackupFile, BackupReader } from './backupContents.ts';
import { readManifest } from './backupManifest.ts';
import { checkBackup, restoreBackup } from './restoreBackup.ts';
import { writeBackup } from './writeBackup.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'logmill-backup-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const folder = () => join(root, 'backup');
const dataDir = () => join(root, 'data');
const randomness = systemRandomness;

interface State extends BackupReader {
  /** Names of the files that were read. */
  readonly read: string[];
}

/** A state with these files; names tell kinds. `cut`: the file that ends early, as when the service goes away. */
function state(files: Readonly<Record<string, string>>, modified_ms = 1_700_000_000_000, cut?: string): State {
  const read: string[] = [];
  return {
    read,
    contents: {
      created_at: '2026-05-01T10:00:00.000Z',
      version: '1.0.0',
      events: 7,
      files: Object.entries(files).map(([name, text]): BackupFile => {
        const kind =
          name === 'store.sqlite'
            ? 'store'
            : name.endsWith('.wal')
              ? 'log'
              : name.startsWith('a')
                ? 'active'
                : 'sealed';
        return { name, kind, bytes: Buffer.byteLength(text), modified_ms };
      }),
    },
    open: async ({ name }) => {
      read.push(name);
      const bytes = Buffer.from(files[name] ?? '');
      return Readable.from([name === cut ? bytes.subarray(1) : bytes]);
    },
    close: async () => undefined,
  };
}

const first = {
  'store.sqlite': 'definitions',
  'sealed-1.duckdb': 'old events',
  'active-2.duckdb': 'new events',
  'active-2.duckdb.wal': 'newer events',
};
const second = { 'store.sqlite': 'definitions 2', 'sealed-1.duckdb': 'old events', 'sealed-2.duckdb': 'new and newer' };

/** Files in a folder and those below it, except for the lock. */
const filesIn = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'lock')
    .map(({ name }) => name)
    .sort();

const restored = () =>
  Object.fromEntries(
    ['store.sqlite', ...readdirSync(join(dataDir(), 'events')).map((name) => `events/${name}`)].map((name) => [
      name.replace('events/', ''),
      readFileSync(join(dataDir(), name), 'utf8'),
    ]),
  );

it('gives back every file as it was, in the places where the service looks for them', async () => {
  await writeBackup({ take: async () => state(first), folder: folder(), randomness });
  const manifest = await restoreBackup({ folder: folder(), dataDir: dataDir(), randomness });
  expect(manifest.events).toBe(7);
  expect(restored()).toEqual(first);
  expect(readdirSync(root).sort()).toEqual(['backup', 'data']);
});

it('keeps the sealed files that an earlier backup has, and clears away what is needed no more', async () => {
  await writeBackup({ take: async () => state(first), folder: folder(), randomness });
  const later = state(second);
  const written = await writeBackup({ take: async () => later, folder: folder(), randomness });
  expect(later.read).toEqual(['store.sqlite', 'sealed-2.duckdb']);
  expect(written).toMatchObject({ reusedFiles: 1, reusedBytes: 10 });
  expect(readdirSync(join(folder(), 'sealed'))).toHaveLength(2);
  expect(readdirSync(folder()).filter((name) => name.startsWith('snapshot-'))).toHaveLength(1);
  await restoreBackup({ folder: folder(), dataDir: dataDir(), randomness });
  expect(restored()).toEqual(second);
});

it('takes a sealed file anew that was damaged in the folder, or is another one of the same name', async () => {
  const { manifest } = await writeBackup({ take: async () => state(first), folder: folder(), randomness });
  const sealed = manifest.files.find(({ kind }) => kind === 'sealed');
  writeFileSync(join(folder(), sealed?.path ?? ''), 'old evenXs');
  const again = state(first);
  await writeBackup({ take: async () => again, folder: folder(), randomness });
  expect(again.read).toContain('sealed-1.duckdb');
  const other = state({ ...first, 'sealed-1.duckdb': 'new events' }, 1_800_000_000_000);
  await writeBackup({ take: async () => other, folder: folder(), randomness });
  await restoreBackup({ folder: folder(), dataDir: dataDir(), randomness });
  expect(restored()['sealed-1.duckdb']).toBe('new events');
});

it('keeps the earlier backup whole when a later one is broken off', async () => {
  await writeBackup({ take: async () => state(first), folder: folder(), randomness });
  const before = filesIn(folder());
  const broken = state(second, 1_800_000_000_000, 'sealed-2.duckdb');
  await expect(writeBackup({ take: async () => broken, folder: folder(), randomness })).rejects.toThrow(
    /^The backup failed: sealed-2.duckdb arrived with 12 of 13 bytes.* contains only the backup of 2026-05-01T10:00:00.000Z\.$/,
  );
  expect(filesIn(folder())).toEqual(before);
  await restoreBackup({ folder: folder(), dataDir: dataDir(), randomness });
  expect(restored()).toEqual(first);
  // What the failed backup left does not disturb the next one.
  await writeBackup({ take: async () => state(second), folder: folder(), randomness });
  expect((await checkBackup(folder())).files).toHaveLength(3);
});

it('is refused while another is being written to the same folder, whose files stay', async () => {
  const reader = state(first);
  const refusals: unknown[] = [];
  const writeSecond = () => writeBackup({ take: async () => state(second), folder: folder(), randomness });
  const open: BackupReader['open'] = async (file) => {
    await writeSecond().catch((error: unknown) => refusals.push(error));
    return await reader.open(file);
  };
  await writeBackup({ take: async () => ({ ...reader, open }), folder: folder(), randomness });
  expect(refusals.map(String)).toEqual(
    Object.keys(first).map(() => expect.stringContaining('Another backup is being written to')),
  );
  await restoreBackup({ folder: folder(), dataDir: dataDir(), randomness });
  expect(restored()).toEqual(first);
  await writeSecond();
  expect((await checkBackup(folder())).files).toHaveLength(3);
});

it('has checked the files that it keeps before it takes the state, and keeps none that is gone by then', async () => {
  await writeBackup({ take: async () => state(first), folder: folder(), randomness });
  const kept = state(first);
  const checked: string[] = [];
  await writeBackup({
    take: async () => {
      expect(checked).toEqual(['sealed-1.duckdb']);
      // Another backup replaces the earlier one meanwhile, with a file of its own.
      await writeBackup({ take: async () => state(first, 1_800_000_000_000), folder: folder(), randomness });
      return kept;
    },
    folder: folder(),
    randomness,
    checking: ({ name }) => checked.push(name),
  });
  expect(kept.read).toContain('sealed-1.duckdb');
  await restoreBackup({ folder: folder(), dataDir: dataDir(), randomness });
  expect(restored()).toEqual(first);
});

it('is no backup before all of it is there', async () => {
  const broken = state(first, 1, 'active-2.duckdb.wal');
  await expect(writeBackup({ take: async () => broken, folder: folder(), randomness })).rejects.toThrow(
    /arrived with.* contains no backup\.$/,
  );
  await expect(restoreBackup({ folder: folder(), dataDir: dataDir(), randomness })).rejects.toThrow(
    'does not contain a complete backup',
  );
  expect(readdirSync(root)).toEqual(['backup']);
  expect(filesIn(folder())).toEqual([]);
});

it('says in its folder that it is unfinished for as long as it is, also where it was killed meanwhile', async () => {
  const reader = state(first);
  let copy: readonly string[] = [];
  const open: BackupReader['open'] = async (file) => {
    if (copy.length === 0) {
      copy = filesIn(folder());
      cpSync(folder(), join(root, 'killed'), { recursive: true });
    }
    return await reader.open(file);
  };
  await writeBackup({ take: async () => ({ ...reader, open }), folder: folder(), randomness });
  expect(copy).toContain('UNFINISHED.txt');
  expect(filesIn(folder())).not.toContain('UNFINISHED.txt');
  await expect(restoreBackup({ folder: join(root, 'killed'), dataDir: dataDir(), randomness })).rejects.toThrow(
    'does not contain a complete backup',
  );
  await writeBackup({ take: async () => state(first), folder: join(root, 'killed'), randomness });
  expect(filesIn(join(root, 'killed'))).toHaveLength(5);
});

it.each(Object.keys(first))(
  'refuses to restore where %s was changed, cut or lost, and leaves nothing behind',
  async (name) => {
    const { manifest } = await writeBackup({ take: async () => state(first), folder: folder(), randomness });
    const path = join(folder(), manifest.files.find((file) => file.name === name)?.path ?? '');
    const text = readFileSync(path, 'utf8');
    const spoil = [
      () => writeFileSync(path, text.replace(/.$/, '!')),
      () => writeFileSync(path, text.slice(1)),
      () => rmSync(path),
    ];
    for (const step of spoil) {
      step();
      await expect(checkBackup(folder())).rejects.toThrow(path);
      await expect(restoreBackup({ folder: folder(), dataDir: dataDir(), randomness })).rejects.toThrow(path);
      expect(readdirSync(root)).toEqual(['backup']);
    }
  },
);

it('restores regular files alone: no link, no pipe, nothing longer than the manifest says', async () => {
  await writeBackup({ take: async () => state(first), folder: folder(), randomness });
  const manifest = await readManifest(folder());
  const stored = manifest?.files.find(({ name }) => name === 'sealed-1.duckdb')?.path ?? '';
  const path = join(folder(), stored);
  const outside = join(root, 'outside');
  // The same bytes, so that nothing but the kind of the file is wrong.
  writeFileSync(outside, first['sealed-1.duckdb']);
  const refused = async (message: string) => {
    for (const run of [
      () => restoreBackup({ folder: folder(), dataDir: dataDir(), randomness }),
      () => checkBackup(folder()),
    ]) {
      await expect(run()).rejects.toThrow(message);
    }
    expect(existsSync(dataDir())).toBe(false);
  };
  rmSync(path);
  symlinkSync(outside, path);
  await refused('must be a regular file');
  rmSync(path);
  symlinkSync('/dev/zero', path);
  await refused('must be a regular file');
  rmSync(path);
  execFileSync('mkfifo', [path]);
  await refused('must be a regular file');
  rmSync(path);
  writeFileSync(path, `${first['sealed-1.duckdb']}more`);
  await refused('differs from the manifest');
  rmSync(path);
  writeFileSync(path, first['sealed-1.duckdb']);
  await checkBackup(folder());
  renameSync(join(folder(), 'sealed'), join(root, 'elsewhere'));
  symlinkSync(join(root, 'elsewhere'), join(folder(), 'sealed'));
  await refused('must be a folder, but it is a link or a file');
  await expect(writeBackup({ take: async () => state(first), folder: folder(), randomness })).rejects.toThrow(
    'is a link or a file',
  );
  rmSync(join(folder(), 'sealed'));
  renameSync(join(folder(), 'manifest.json'), join(root, 'manifest.json'));
  symlinkSync(join(root, 'manifest.json'), join(folder(), 'manifest.json'));
  await refused('manifest.json is a symbolic link');
});

it('restores only to a folder of its own', async () => {
  await writeBackup({ take: async () => state(first), folder: folder(), randomness });
  await mkdir(dataDir());
  writeFileSync(join(dataDir(), 'precious'), 'x');
  await expect(restoreBackup({ folder: folder(), dataDir: dataDir(), randomness })).rejects.toThrow('is not empty');
  expect(readdirSync(dataDir())).toEqual(['precious']);
  rmSync(join(dataDir(), 'precious'));
  symlinkSync(dataDir(), join(root, 'link'));
  await expect(restoreBackup({ folder: folder(), dataDir: join(root, 'link'), randomness })).rejects.toThrow(
    'is a link or a mount point',
  );
  expect(readdirSync(root).sort()).toEqual(['backup', 'data', 'link']);
  await restoreBackup({ folder: folder(), dataDir: dataDir(), randomness });
  expect(restored()).toEqual(first);
});

it('writes only to an empty folder or one of a backup', async () => {
  await mkdir(folder());
  writeFileSync(join(folder(), 'holiday.jpg'), 'x');
  await expect(writeBackup({ take: async () => state(first), folder: folder(), randomness })).rejects.toThrow(
    'holiday.jpg',
  );
  expect(readdirSync(folder())).toEqual(['holiday.jpg']);
});

it.each([
  ['a path that leads out of the folder', (text: string) => text.replace(/snapshot-[\w-]+\/store/, '../store')],
  ['a name that is no file of a data folder', (text: string) => text.replace('"active-2.duckdb"', '"../../evil"')],
  ['a log without its segment', (text: string) => text.replaceAll('active-2.duckdb.wal', 'active-3.duckdb.wal')],
  ['a log alone', (text: string) => text.replace(/\{[^{}]*"active-2\.duckdb"[^{}]*\},/, '')],
  ['a path of another name', (text: string) => text.replace('"active-2.duckdb"', '"active-3.duckdb"')],
  ['a sealed segment under another number', (text: string) => text.replace('"sealed-1.duckdb"', '"sealed-3.duckdb"')],
  [
    'a sealed segment outside of its folder',
    (text: string) => text.replace(/sealed\/sealed-1-[^"]*/, 'snapshot-a-00000000/sealed-1.duckdb'),
  ],
  ['files of two snapshots', (text: string) => text.replace(/snapshot-[\w-]+(?=\/store)/, 'snapshot-a-00000000')],
  ['a name that a service would not write', (text: string) => text.replaceAll('active-2.', 'active-02.')],
  ['no store', (text: string) => text.replaceAll('store.sqlite', 'sealed-9.duckdb')],
  ['a later format', (text: string) => text.replace('"format": 1', '"format": 2')],
  ['half of its text', (text: string) => text.slice(0, text.length / 2)],
])('refuses a manifest with %s', async (_, change) => {
  await writeBackup({ take: async () => state(first), folder: folder(), randomness });
  const path = join(folder(), 'manifest.json');
  const changed = change(readFileSync(path, 'utf8'));
  expect(changed).not.toBe(readFileSync(path, 'utf8'));
  writeFileSync(path, changed);
  await expect(readManifest(folder())).rejects.toThrow(
    'cannot be understood: it is damaged, or a newer version of Logmill wrote it',
  );
  await expect(restoreBackup({ folder: folder(), dataDir: dataDir(), randomness })).rejects.toThrow(
    'cannot be understood',
  );
  expect(readdirSync(root)).toEqual(['backup']);
});
