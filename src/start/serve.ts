import { systemClock } from '../core/clock.ts';
import { systemRandomness } from '../core/ids.ts';
import { createLog, type LogFormat } from '../observe/log.ts';
import type { ClaimedFolder } from './claimFolder.ts';
import { closeOnSignal, type Ending } from './closeOnSignal.ts';
import { letHeapDouble } from './letHeapDouble.ts';
import type { SettingInputs, SettingsRead } from './readSettings.ts';
import type { Settings } from './settings.ts';
import type { StandbyEngine } from './standbyEngine.ts';
import { startService } from './startService.ts';
import { welcome } from './welcome.ts';

export interface ServeOptions {
  /** Where the settings come from. */
  readonly settingInputs: SettingInputs;
  readonly demo: boolean;
  readonly claimed: ClaimedFolder;
  readonly standbyEngine: StandbyEngine;
  /** Writes to standard output. */
  readonly out: (text: string) => void;
  readonly isTerminal: boolean;
  /** Whether standard error is a terminal. */
  readonly isLogTerminal: boolean;
}

/** Time for closing engine and store after the last call has ended; closing the engine alone may take 20 seconds. */
const closeStoresMs = 30_000;

/**
 * Runs a service in this process until a signal ends it. Resolves when the service is ready. The first SIGTERM or
 * SIGINT stops it in phases; a second one ends the process at once.
 */
export async function serve({ settings, notes }: SettingsRead, options: ServeOptions): Promise<void> {
  const startedMs = performance.now();
  letHeapDouble();
  const log = createLog({ level: settings.logLevel, format: logFormat(settings, options.isLogTerminal) });
  for (const message of notes) log.observe({ kind: 'warning', message });
  let ending: Ending | undefined;
  let isReplaced = false;
  const service = await startService({
    settings,
    settingInputs: options.settingInputs,
    clock: systemClock,
    randomness: systemRandomness,
    observe: (observation) => {
      log.observe(observation);
      // No phases here: closing stores and engine would change files by path. Everything acknowledged is already
      // durable.
      if (observation.kind === 'folder.gone') void log.flush().finally(() => process.exit(1));
      if (observation.kind !== 'engine.replaced') return;
      isReplaced = true;
      ending?.fail(observation.kind);
    },
    demo: options.demo,
    standbyEngine: options.standbyEngine,
    claimed: options.claimed,
    progress: (sentence) => options.out(`${sentence}\n`),
  });
  ending = closeOnSignal({
    deadlineMs: settings.shutdownMs + closeStoresMs,
    close: async (reason, error) => {
      if (error !== undefined) {
        log.observe({ kind: 'warning', message: 'the service ends because of an unexpected error', cause: error });
      }
      await service.close(reason);
      await log.flush();
    },
  });
  log.observe({ kind: 'service.ready', url: service.url, startMs: Math.round(performance.now() - startedMs) });
  options.out(welcome(service, { dataDir: settings.dataDir, isTerminal: options.isTerminal }));
  service.warm();
  if (isReplaced) ending.fail('engine.replaced');
}

function logFormat({ logFormat: wanted }: Settings, isTerminal: boolean): LogFormat {
  if (wanted !== 'auto') return wanted;
  return isTerminal ? 'text' : 'json';
}
