import { accessSync, constants, readdirSync, type Stats, statfsSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { pathOfStore, storeFileNames } from '../../stores/sqlite/storeFileNames.ts';
import { type DataEntry, dataEntries } from '../dataEntries.ts';
import type { Settings } from '../settings.ts';
import { type Finding, fail, gibibytes, ok, reasonOf, warn } from './finding.ts';

/** Files that hold secrets, or what secrets are recognised by. */
const privateNames = ['admin-token', ...storeFileNames];

/** Looks at the folder from outside: who may read and write what. */
export function checkDataFolder(dataDir: string): readonly Finding[] {
  const found = access(dataDir);
  // Without the right to look into it there is nothing more to be told.
  if (found.status !== 'ok') return [found];
  const folder = statOf(dataDir);
  if (folder === undefined) {
    return [
      fail(
        'data folder',
        `${resolve(dataDir)} does not exist, so there is nothing to look at.`,
        'Name the folder of the service with --data-dir or LOGMILL_DATA_DIR, or start the service, which makes it.',
      ),
    ];
  }
  if (!folder.isDirectory()) {
    return [fail('data folder', `${dataDir} is no folder.`, 'Name a folder with LOGMILL_DATA_DIR or --data-dir.')];
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
      // Which right is missing is not told; the advice covers both.
      return true;
    }
  });
  if (blocked.length === 0) return ok('access', 'The data folder can be read and written.');
  return fail(
    'access',
    `This user cannot read and write ${blocked.join(', ')}.`,
    'Run the doctor and the service as the user who owns the data folder, or give that user the right (chown -R).',
  );
}

function owner(dataDir: string, folder: Stats): Finding {
  const foreign = [
    ...storeFileNames,
    'events',
    ...namesIn(join(dataDir, 'events')).map((name) => `events/${name}`),
  ].filter((name) => (statOf(join(dataDir, name))?.uid ?? folder.uid) !== folder.uid);
  if (foreign.length === 0) return ok('owner', 'Everything in the data folder has one owner.');
  return warn(
    'owner',
    `${foreign.length === 1 ? foreign[0] : `${foreign.length} files, such as ${foreign[0]},`} belong${foreign.length === 1 ? 's' : ''} to another user than the data folder.`,
    `Was the service started as another user once? Give everything to one: chown -R ${folder.uid} ${dataDir}.`,
  );
}

function modes(dataDir: string, folder: Stats): readonly Finding[] {
  const entries = dataEntries(dataDir);
  // Behind a folder that nobody else may enter, only what holds secrets has to be closed as well.
  const isShut = (folder.mode & 0o077) === 0;
  const open = entries
    .filter(({ path, isOpen }) => isOpen && (!isShut || privateNames.includes(relative(dataDir, path))))
    .map(({ path }) => relative(dataDir, path));
  const isReplaceable = (folder.mode & 0o022) !== 0 && (folder.mode & 0o1000) === 0;
  return [
    ...(open.length === 0 && !isReplaceable
      ? [ok('permissions', 'Only their owner may read events and secrets.')]
      : []),
    ...(open.length === 0
      ? []
      : [
          fail(
            'permissions',
            `Other users may read ${open.slice(0, shownMax).join(', ')}${open.length > shownMax ? ` and ${open.length - shownMax} more` : ''}.`,
            `Take that right away, or start the service, which does: chmod -R go-rwx ${open.length > shownMax ? dataDir : open.map((name) => join(dataDir, name)).join(' ')}`,
          ),
        ]),
    ...(isReplaceable
      ? [
          fail(
            'permissions',
            `Other users may replace files of ${dataDir}.`,
            `Take that right away: chmod go-w ${dataDir}`,
          ),
        ]
      : []),
    ...foreignKinds(dataDir, entries),
  ];
}

/** Links and pipes: a service makes none, and what is behind them is no part of the folder. */
function foreignKinds(dataDir: string, entries: readonly DataEntry[]): readonly Finding[] {
  const names = entries.flatMap(({ path, kind }) =>
    kind === 'link' || kind === 'other' ? [relative(dataDir, path)] : [],
  );
  if (names.length === 0) return [];
  return [
    warn(
      'permissions',
      `${names.slice(0, shownMax).join(', ')} ${names.length === 1 ? 'is' : 'are'} neither a file nor a folder.`,
      'A service makes no links there: put the files themselves in their place, or remove them.',
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
      `${beside.join(', ')} beside the data folder is left of a restore that was broken off.`,
      'Remove it once no restore is running.',
    ),
  ];
}

/** The room on the device, against what events may take and what is kept free. */
export function checkDisk(settings: Settings, eventBytes: number): readonly Finding[] {
  let free: number;
  let total: number;
  try {
    const { bavail, blocks, bsize } = statfsSync(settings.dataDir);
    free = bavail * bsize;
    total = blocks * bsize;
  } catch (error) {
    return [warn('disk space', `The disk cannot be looked at (${reasonOf(error)}).`, 'Look at it with df.')];
  }
  const keptFree = settings.diskFreeMin ?? Math.min(2 ** 30, Math.floor(total / 20));
  return [space(free, keptFree, eventBytes), budget(settings, eventBytes, free, keptFree)];
}

function space(free: number, keptFree: number, eventBytes: number): Finding {
  const about = `${gibibytes(free)} are free`;
  if (free < keptFree) {
    return fail(
      'disk space',
      `${about}, less than the ${gibibytes(keptFree)} below which events are refused (ingest.disk_full).`,
      'Make room, set LOGMILL_DISK_BUDGET or retention so that old events go, or move the data folder to a larger disk.',
    );
  }
  if (free < 2 * keptFree || free < eventBytes / 4) {
    return warn(
      'disk space',
      `${about}; events take ${gibibytes(eventBytes)}, and below ${gibibytes(keptFree)} they are refused.`,
      'Make room soon: merging also needs the size of what it merges.',
    );
  }
  return ok('disk space', `${about}; events take ${gibibytes(eventBytes)}.`);
}

function budget({ diskBudget }: Settings, eventBytes: number, free: number, keptFree: number): Finding {
  if (diskBudget === 0)
    return ok('disk budget', 'Event files have no disk budget; nothing is dropped for want of space.');
  if (diskBudget > eventBytes + free - keptFree) {
    return warn(
      'disk budget',
      `The disk budget of ${gibibytes(diskBudget)} is more than the disk has for events: ${gibibytes(Math.max(0, eventBytes + free - keptFree))}.`,
      'Lower LOGMILL_DISK_BUDGET: events are refused before anything is dropped.',
    );
  }
  return ok('disk budget', `Events take ${gibibytes(eventBytes)} of a budget of ${gibibytes(diskBudget)}.`);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // What cannot be listed is told by `access`.
    return [];
  }
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}
