import type { Clock } from '../../core/clock.ts';
import { readSettings, type SettingInputs, type SettingsRead } from '../readSettings.ts';
import { settingsSchema } from '../settings.ts';
import { StartError } from '../startError.ts';
import { checkClickHouse } from './clickhouseCheck.ts';
import { checkDataFolder, checkDisk } from './dataFolder.ts';
import { checkClock, checkEventFiles } from './eventFilesCheck.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import { checkMachine, type Machine } from './machine.ts';
import { readThrough } from './readThrough.ts';
import { checkService } from './serviceCheck.ts';
import { checkSharedStore } from './sharedStoreCheck.ts';
import { checkStore } from './storeCheck.ts';

export interface DoctorInputs {
  readonly settings: SettingInputs;
  readonly machine: Machine;
  readonly clock: Clock;
  /** Whether to read event files through. */
  readonly isDeep: boolean;
}

/** Checks everything that a service needs. Changes nothing, and can run while a service runs. */
export async function runDoctor({
  settings: inputs,
  machine,
  clock,
  isDeep,
}: DoctorInputs): Promise<readonly Finding[]> {
  let read: SettingsRead;
  try {
    read = readSettings(inputs);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    const wrong = error.message
      .split('\n')
      .map((problem) => fail('settings', problem, 'Correct the setting and run the doctor again.'));
    // Without settings, the data folder is unknown.
    return [...wrong, ...checkMachine(machine, settingsSchema.parse({}))];
  }
  const { settings, notes } = read;
  const findings: Finding[] = [
    notes.length === 0
      ? ok('settings', 'The settings are valid.')
      : warn('settings', notes.join(' '), 'Nothing to do if the platform sets it.'),
    ...checkMachine(machine, settings),
    ...checkDataFolder(settings.dataDir),
  ];
  const cannotLook = ['data folder', 'access'];
  if (findings.some(({ check, status }) => cannotLook.includes(check) && status !== 'ok')) return findings;
  findings.push(...(await checkSharedStore(settings)), ...(await checkClickHouse(settings)));
  const service = await checkService(settings);
  const store = checkStore(settings.dataDir);
  const files = checkEventFiles(settings.dataDir, store.files, service.isRunning);
  findings.push(
    ...service.findings,
    ...store.findings,
    ...files.findings,
    ...checkDisk(settings, files),
    ...checkClock(store.files, clock.nowMicros()),
  );
  if (!isDeep) return findings;
  const names = [...files.sealed, ...(service.isRunning ? [] : files.active)];
  return [...findings, ...(await readThrough(settings.dataDir, names, store.files))];
}
