import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '../../core/clock.ts';
import type { Randomness } from '../../core/ids.ts';
import type { Settings } from '../../start/settings.ts';
import { type RunningService, startService } from '../../start/startService.ts';
import type { ServiceAddress } from '../serviceClient.ts';

/** Signals by which a terminal or a pipeline ends the tests. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Starts complete services on temporary folders, each with a fixed clock. Removes engines and folders at the end of the
 * tests, also if a signal ends them.
 */
export class ThrowAwayServices {
  readonly #folder = mkdtempSync(join(tmpdir(), 'logmill-test-'));
  readonly #settings: Settings;
  readonly #randomness: Randomness;
  readonly #started: Promise<RunningService>[] = [];
  #ending: Promise<void> | undefined;

  /** Uses only those settings that affect answers; addresses, folders and tokens are its own. */
  constructor(settings: Settings, randomness: Randomness) {
    this.#settings = {
      ...settings,
      host: '127.0.0.1',
      port: 0,
      logLevel: 'silent',
      adminToken: undefined,
      queryToken: undefined,
      ingestToken: undefined,
      endpointsDir: undefined,
      requestsPerMinute: 0,
    };
    this.#randomness = randomness;
    for (const signal of signals) process.on(signal, this.#endBySignal);
  }

  /** Runs the work against its own service, whose current time is `nowMicros`. */
  async with<T>(nowMicros: number, work: (address: ServiceAddress) => Promise<T>): Promise<T> {
    if (this.#ending !== undefined) throw new Error('the tests have ended');
    const dataDir = join(this.#folder, String(this.#started.length));
    const starting = startService({
      settings: { ...this.#settings, dataDir },
      clock: new ManualClock(nowMicros),
      randomness: this.#randomness,
      // A test sees errors in its answers.
      observe: () => undefined,
      demo: false,
      progress: () => undefined,
    });
    this.#started.push(starting);
    const service = await starting;
    try {
      if (service.adminToken === undefined) throw new Error('the first start of a folder made no administration token');
      return await work({ url: service.url, token: service.adminToken });
    } finally {
      await service.close('the tests are done');
      rmSync(dataDir, { recursive: true, force: true });
    }
  }

  /** Stops all services and removes the folder. Idempotent. */
  end(): Promise<void> {
    this.#ending ??= (async () => {
      // A service that failed to start left nothing running.
      await Promise.allSettled(this.#started.map(async (starting) => (await starting).close('the tests end')));
      rmSync(this.#folder, { recursive: true, force: true });
      for (const signal of signals) process.off(signal, this.#endBySignal);
    })();
    return this.#ending;
  }

  readonly #endBySignal = (signal: (typeof signals)[number]): void => {
    void this.end().finally(() => process.exit(128 + constants.signals[signal]));
  };
}
