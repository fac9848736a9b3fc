import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { counted, type Finding, fail, ok, warn } from './finding.ts';
import type { ListedFile } from './storeCheck.ts';

export interface EventFilesReport {
  readonly findings: readonly Finding[];
  /** Of all files in the folder of events. */
  readonly bytes: number;
  /** Names of the files that can be read through, `sealed` first. */
  readonly sealed: readonly string[];
  readonly active: readonly string[];
}

const restoreAdvice =
  'Put a whole copy from a backup in its place in the folder "events" and start the service again, which reads it through and serves it; ' +
  'until then answers that would have read of it say data.damaged_file.';

/** Compares the folder of events with the list of the store. `isRunning`: what is between two states is no finding then. */
export function checkEventFiles(
  dataDir: string,
  listed: readonly ListedFile[] | null,
  isRunning: boolean,
): EventFilesReport {
  const folder = join(dataDir, 'events');
  if (!existsSync(folder)) return { findings: [], bytes: 0, sealed: [], active: [] };
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
  const findings = [
    ...compared(listed, sealed, isRunning),
    ...setAside(listed, damagedNames),
    ...(isRunning ? [] : unfinished(names)),
  ];
  return { findings, bytes, sealed, active };
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
  // Files that were merged lie there until their last reader has ended; a merged one has its record before its name.
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
        `${unknown.join(', ')} ${unknown.length === 1 ? 'is' : 'are'} not in the list of the store.`,
        'Left of a crash, the next start removes it; anything else it moves to events/damaged and reads nothing of it.',
      ),
    );
  }
  if (findings.length > 0) return findings;
  const events = whole.reduce((sum, file) => sum + file.events, 0);
  return [
    ok(
      'event files',
      `${counted(whole.length, 'sealed file')} with ${counted(events, 'event')} ${whole.length === 1 ? 'is' : 'are'} as the store lists ${whole.length === 1 ? 'it' : 'them'}.`,
    ),
  ];
}

function setAside(listed: readonly ListedFile[] | null, names: readonly string[]): readonly Finding[] {
  const known = (listed ?? []).flatMap(({ damage }) => (damage === null ? [] : [damage]));
  const others = names.filter((name) => name.endsWith('.duckdb') && !known.some(({ file }) => file === name));
  return [
    ...known.map(({ file, reason }) =>
      fail('damaged file', `${file} is damaged and set aside: ${reason}.`, restoreAdvice),
    ),
    ...others.map((name) =>
      name.startsWith('active-')
        ? fail(
            'damaged file',
            `${name} is set aside in events/damaged; it held the newest events, of which sources and projects is not known.`,
            `${restoreAdvice} To go without its events for good, move it out of the data folder.`,
          )
        : warn(
            'damaged file',
            `${name} is set aside in events/damaged, and nothing is missing for it.`,
            'Remove it when nobody wants to look into it any more.',
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
      `${left.join(', ')} is left of a rewrite that was broken off.`,
      'The next start finishes or removes it; nothing is missing.',
    ),
  ];
}

/** Whether the clock agrees with what was written: it was put back, or was ahead once. */
export function checkClock(listed: readonly ListedFile[] | null, nowMicros: number): readonly Finding[] {
  if (listed === null || listed.length === 0) return [];
  const sealedMicros = Math.max(...listed.map((file) => file.sealedMicros));
  const lastMicros = Math.max(...listed.map((file) => file.lastMicros));
  const iso = (micros: number) => new Date(micros / 1000).toISOString();
  if (sealedMicros > nowMicros + toleratedMicros) {
    return [
      fail(
        'clock',
        `The clock says ${iso(nowMicros)}, and a file was written at ${iso(sealedMicros)}.`,
        'Set the clock (NTP). Windows, retention and caches count from it.',
      ),
    ];
  }
  if (lastMicros > nowMicros + aheadMicros) {
    return [
      warn(
        'clock',
        `The newest event is of ${iso(lastMicros)}, more than a day ahead of the clock.`,
        'Was the clock ahead once? Such events show up as the newest until their time has come.',
      ),
    ];
  }
  return [ok('clock', 'The clock agrees with the events.')];
}

const toleratedMicros = 60_000_000;
/** Further ahead an event is not taken (contract, limits). */
const aheadMicros = 25 * 3_600_000_000;
