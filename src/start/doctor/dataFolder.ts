import { accessSync, constants, readdirSync, type Stats, statfsSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { pathOfStore, storeFileNames } from '../../stores/sqlite/storeFileNames.ts';
import { type DataEntry, dataEntries, isShared } from '../dataEntries.ts';
import type { Settings } from '../settings.ts';
import type { EventFilesReport } from './eventFilesCheck.ts';
import { type Finding, fail, gibibytes, ok, reasonOf, warn } from './finding.ts';

/** Files that hold secrets, or hashes of secrets. */
const privateNames = ['admin-token', ...storeFileNames];

/** Checks from outside who may read and write the folder. */
export function checkDataFolder(dataDir: string): readonly Finding[] {
  const found = access(dataDir);
  // Nothing else can be checked in a folder that this user cannot read.
  if (found.status !== 'ok') return [found];
  const folder = statOf(dataDir);
  if (folder === undefined) {
    return [
      fail(
        'data folder',
        `${resolve(dataDir)} does not exist, so there is nothing to check.`,
        'Name the folder of the service with --data-dir or LOGMILL_DATA_DIR, or start the service to create it.',
      ),
    ];
  }
  if (!folder.isDirectory()) {
    return [fail('data folder', `${dataDir} is not a folder.`, 'Name a folder with LOGMILL_DATA_DIR or --data-dir.')];
  }
  return [found, owner(dataDir, folder), ...modes(dataDir, folder), ...leftovers(dataDir)];
}

function access(dataDir: string): Finding {
  const { R_OK, W_OK, X_OK } = constants;
  const blocked = [dataDir, join(dataDir, 'events'), pathOfStore(dataDir)].filter((path) => {
    try {
      const found = statOf(path);
      if (found !== undefined) accessSync(path, R_OK | W_OK | (found.isDirectory() ? X_OK : 0));
      return false;
    } catch {
      // The missing right does not matter, because the advice covers both.
      return true;
    }
  });
  if (blocked.length === 0) return ok('access', 'The data folder can be read and written.');
  return fail(
    'access',
    `This user cannot read and write ${blocked.join(', ')}.`,
    'Run the doctor and the service as the user who owns the data folder, or make this user its owner (chown -R).',
  );
}

function owner(dataDir: string, folder: Stats): Finding {
  const foreign = [
    ...storeFileNames,
    'events',
    ...namesIn(join(dataDir, 'events')).map((name) => `events/${name}`),
  ].filter((name) => (statOf(join(dataDir, name))?.uid ?? folder.uid) !== folder.uid);
  if (foreign.length === 0) return ok('owner', 'All files in the data folder have the same owner.');
  return warn(
    'owner',
    `${foreign.length === 1 ? foreign[0] : `${foreign.length} files, such as ${foreign[0]},`} belong${foreign.length === 1 ? 's' : ''} to a different user than the data folder.`,
    `The service may have run as another user once. Give all files the same owner: chown -R ${folder.uid} ${dataDir}.`,
  );
}

function modes(dataDir: string, folder: Stats): readonly Finding[] {
  const entries = dataEntries(dataDir);
  // If no one else can enter the folder, only the files with secrets must be closed themselves.
  const isShut = (folder.mode & 0o077) === 0;
  const open = entries
    .filter(({ path, isOpen }) => isOpen && (!isShut || privateNames.includes(relative(dataDir, path))))
    .map(({ path }) => relative(dataDir, path));
  const isReplaceable = (folder.mode & 0o022) !== 0 && (folder.mode & 0o1000) === 0;
  return [
    ...(open.length === 0 && !isReplaceable ? [ok('permissions', 'Only the owner may read events and secrets.')] : []),
    ...(open.length === 0
      ? []
      : [
          fail(
            'permissions',
            `Other users may read ${open.slice(0, shownMax).join(', ')}${open.length > shownMax ? ` and ${open.length - shownMax} more` : ''}.`,
            `Remove this permission, or start the service, which removes it: chmod -R go-rwx ${open.length > shownMax ? dataDir : open.map((name) => join(dataDir, name)).join(' ')}`,
          ),
        ]),
    ...(isReplaceable
      ? [
          fail(
            'permissions',
            `Other users may replace files in ${dataDir}.`,
            `Remove this permission: chmod go-w ${dataDir}`,
          ),
        ]
      : []),
    ...foreignKinds(dataDir, entries),
    ...hardLinks(dataDir, entries),
  ];
}

/** Warns of files that another folder shares, with which the next start refuses the folder. */
function hardLinks(dataDir: string, entries: readonly DataEntry[]): readonly Finding[] {
  const names = entries.filter((entry) => isShared(dataDir, entry)).map(({ path }) => relative(dataDir, path));
  if (names.length === 0) return [];
  return [
    fail(
      'hard links',
      `${names.slice(0, shownMax).join(', ')} ${names.length === 1 ? 'is also a file' : 'are also files'} of another folder (hard links). A service on one folder would change the other one, and refuses to start.`,
      'Stop the service. Copy each of these files to a new name, and rename the copy to the old name.',
    ),
  ];
}

/** Warns of links and pipes: a service makes none, and their targets are not in the folder. */
function foreignKinds(dataDir: string, entries: readonly DataEntry[]): readonly Finding[] {
  const names = entries.flatMap(({ path, kind }) =>
    kind === 'link' || kind === 'other' ? [relative(dataDir, path)] : [],
  );
  if (names.length === 0) return [];
  return [
    warn(
      'permissions',
      `${names.slice(0, shownMax).join(', ')} ${names.length === 1 ? 'is' : 'are'} neither a file nor a folder.`,
      'Logmill makes only files and folders there. Put the files themselves in their place, or remove the entries.',
    ),
  ];
}

const shownMax = 5;

function leftovers(dataDir: string): readonly Finding[] {
  const beside = namesIn(dirname(dataDir)).filter((name) => name.startsWith(`${basename(dataDir)}.restoring-`));
  if (beside.length === 0) return [];
  return [
    warn(
      'restore',
      `${beside.join(', ')} next to the data folder is left over from an interrupted restore.`,
      'Remove it if no restore is running.',
    ),
  ];
}

/** Compares the free space with what events may take and what is kept free. */
export function checkDisk(
  settings: Settings,
  { bytes: eventBytes, activeBytesMax }: Pick<EventFilesReport, 'bytes' | 'activeBytesMax'>,
): readonly Finding[] {
  let free: number;
  let total: number;
  try {
    const { bavail, blocks, bsize } = statfsSync(settings.dataDir);
    free = bavail * bsize;
    total = blocks * bsize;
  } catch (error) {
    return [warn('disk space', `The free disk space cannot be read: ${reasonOf(error)}.`, 'Check it with df.')];
  }
  const keptFree = settings.diskFreeMin ?? Math.min(2 ** 30, Math.floor(total / 20));
  return [space(free, keptFree, eventBytes, activeBytesMax), budget(settings, eventBytes, free, keptFree)];
}

function space(free: number, keptFree: number, eventBytes: number, activeBytesMax: number): Finding {
  const about = `${gibibytes(free)} of disk space is free`;
  if (free < keptFree) {
    return fail(
      'disk space',
      `${about}, less than the ${gibibytes(keptFree)} below which events are rejected (ingest.disk_full).`,
      'Free some space, set LOGMILL_DISK_BUDGET or a retention so that old events are dropped, or move the data folder to a larger disk.',
    );
  }
  if (free < activeBytesMax) {
    return warn(
      'disk space',
      `${about}, less than the ${gibibytes(activeBytesMax)} of the largest active segment, so it cannot be sealed. When a few segments wait to be sealed, events are rejected (ingest.disk_full).`,
      'Free some space; sealing then resumes automatically.',
    );
  }
  if (free < 2 * keptFree || free < eventBytes / 4) {
    return warn(
      'disk space',
      `${about}; events take ${gibibytes(eventBytes)}, and if less than ${gibibytes(keptFree)} is free, new ones are rejected.`,
      'Free some space soon: compaction also needs as much space as the files that it merges.',
    );
  }
  return ok('disk space', `${about}; events take ${gibibytes(eventBytes)}.`);
}

function budget({ diskBudget }: Settings, eventBytes: number, free: number, keptFree: number): Finding {
  if (diskBudget === 0) return ok('disk budget', 'Events have no disk budget, so none are dropped to save space.');
  if (diskBudget > eventBytes + free - keptFree) {
    return warn(
      'disk budget',
      `The disk budget of ${gibibytes(diskBudget)} exceeds the space that the disk has for events: ${gibibytes(Math.max(0, eventBytes + free - keptFree))}.`,
      'Lower LOGMILL_DISK_BUDGET; otherwise new events are rejected before old ones are dropped.',
    );
  }
  return ok('disk budget', `Events take ${gibibytes(eventBytes)} of a budget of ${gibibytes(diskBudget)}.`);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The check `access` reports folders that cannot be listed.
    return [];
  }
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}
