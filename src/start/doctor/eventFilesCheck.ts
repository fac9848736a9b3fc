import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { counted } from '../../core/counted.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import type { ListedFile } from './storeCheck.ts';

export interface EventFilesReport {
  readonly findings: readonly Finding[];
  /** Of all files in the events folder. */
  readonly bytes: number;
  /** Of the largest active segment, which needs at most as much free space to be sealed. */
  readonly activeBytesMax: number;
  /** Names of the files that can be read through, `sealed` first. */
  readonly sealed: readonly string[];
  readonly active: readonly string[];
}

const restoreAdvice =
  'Put an undamaged copy from a backup in its place in the folder "events" and restart the service, which verifies and serves it. ' +
  'Until then, answers that need its events carry the notice data.damaged_file.';

/**
 * Compares the events folder with the manifest. With `isRunning`, states that a running service passes through are
 * ignored.
 */
export function checkEventFiles(
  dataDir: string,
  listed: readonly ListedFile[] | null,
  isRunning: boolean,
): EventFilesReport {
  const folder = join(dataDir, 'events');
  if (!existsSync(folder)) return { findings: [], bytes: 0, activeBytesMax: 0, sealed: [], active: [] };
  const names = readdirSync(folder);
  const damagedNames = names.includes('damaged') ? readdirSync(join(folder, 'damaged')) : [];
  const sealed = names.filter((name) => /^sealed-\d+\.duckdb$/.test(name));
  const active = names.filter((name) => /^active-\d+\.duckdb$/.test(name));
  const bytes = [
    ...names.map((name) => join(folder, name)),
    ...damagedNames.map((name) => join(folder, 'damaged', name)),
  ]
    .map((path) => statSync(path, { throwIfNoEntry: false }))
    .reduce((sum, found) => sum + (found?.isFile() === true ? found.size : 0), 0);
  const sizeOf = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  const activeBytesMax = Math.max(0, ...active.map((name) => sizeOf(name) + sizeOf(`${name}.wal`)));
  const findings = [
    ...compared(listed, sealed, isRunning),
    ...quarantined(listed, damagedNames),
    ...(isRunning ? [] : unfinished(names)),
  ];
  return { findings, bytes, activeBytesMax, sealed, active };
}

function compared(
  listed: readonly ListedFile[] | null,
  sealed: readonly string[],
  isRunning: boolean,
): readonly Finding[] {
  if (listed === null) return [];
  const whole = listed.filter(({ damage }) => damage === null);
  const wanted = new Set(whole.map(({ number }) => `sealed-${number}.duckdb`));
  const missing = [...wanted].filter((name) => !sealed.includes(name));
  // A running service keeps merged files until their last reader has ended, and lists a new file before it renames it.
  const unknown = isRunning
    ? []
    : sealed.filter((name) => !wanted.has(name) && !listed.some(({ number }) => name === `sealed-${number}.duckdb`));
  const findings: Finding[] = [];
  if (missing.length > 0 && !isRunning) {
    findings.push(
      fail('event files', `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing.`, restoreAdvice),
    );
  }
  if (unknown.length > 0) {
    findings.push(
      warn(
        'event files',
        `${unknown.join(', ')} ${unknown.length === 1 ? 'is' : 'are'} not listed in the store.`,
        'The next start removes files that a crash left over. It moves other files to events/damaged and does not read them.',
      ),
    );
  }
  if (findings.length > 0) return findings;
  const events = whole.reduce((sum, file) => sum + file.events, 0);
  return [
    ok(
      'event files',
      `${counted(whole.length, 'sealed segment')} with ${counted(events, 'event')} ${whole.length === 1 ? 'is' : 'are'} present, as listed in the store.`,
    ),
  ];
}

function quarantined(listed: readonly ListedFile[] | null, names: readonly string[]): readonly Finding[] {
  const known = (listed ?? []).flatMap(({ damage }) => (damage === null ? [] : [damage]));
  const others = names.filter((name) => name.endsWith('.duckdb') && !known.some(({ file }) => file === name));
  return [
    ...known.map(({ file, reason }) =>
      fail('damaged file', `${file} is damaged and quarantined: ${reason}.`, restoreAdvice),
    ),
    ...others.map((name) =>
      name.startsWith('active-')
        ? fail(
            'damaged file',
            `${name} is quarantined in events/damaged. It held the newest events; their sources and projects are unknown.`,
            `${restoreAdvice} To give up its events, move it out of the data folder.`,
          )
        : warn(
            'damaged file',
            `${name} is quarantined in events/damaged. No events are missing because of it.`,
            'Remove it when you no longer need to inspect it.',
          ),
    ),
  ];
}

function unfinished(names: readonly string[]): readonly Finding[] {
  const left = names.filter((name) => name.startsWith('sealing-'));
  if (left.length === 0) return [];
  return [
    warn(
      'event files',
      `${left.join(', ')} is left over from an interrupted rewrite.`,
      'The next start completes or removes it. No events are missing.',
    ),
  ];
}

/** Whether the clock fits the stored events. It does not if it was set back, or ran ahead at some time. */
export function checkClock(listed: readonly ListedFile[] | null, nowMicros: number): readonly Finding[] {
  if (listed === null || listed.length === 0) return [];
  const sealedMicros = Math.max(...listed.map((file) => file.sealedMicros));
  const lastMicros = Math.max(...listed.map((file) => file.lastMicros));
  const iso = (micros: number) => new Date(micros / 1000).toISOString();
  if (sealedMicros > nowMicros + toleratedMicros) {
    return [
      fail(
        'clock',
        `The clock shows ${iso(nowMicros)}, but a file was written at ${iso(sealedMicros)}.`,
        'Set the clock (NTP). Time ranges, retention and caches depend on it.',
      ),
    ];
  }
  if (lastMicros > nowMicros + aheadMicros) {
    return [
      warn(
        'clock',
        `The newest event has the time ${iso(lastMicros)}, more than a day ahead of the clock.`,
        'The clock may have been ahead once. Such events are listed as the newest until their time comes.',
      ),
    ];
  }
  return [ok('clock', 'The clock is consistent with the stored events.')];
}

const toleratedMicros = 60_000_000;
/** Events further ahead are rejected (contract, limits). */
const aheadMicros = 25 * 3_600_000_000;
