import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { BenchedService } from '../benchedService.ts';
import { type PreparedEvents, presentMs, workingCopy } from './preparedEvents.ts';
import { machineNow, setPresent } from './shiftedClock.mjs';

/** How thoroughly is measured. */
export interface Effort {
  /** Rounds of what is measured by turns. */
  readonly rounds: number;
  readonly warmRounds: number;
  /** Seconds of each round of what runs for a while. */
  readonly seconds: number;
  /** Starts of the service, for start-up and for cold calls. */
  readonly starts: number;
  /** Events that are sent over HTTP. */
  readonly sentEvents: number;
}

/** What a part of the suite works with. */
export class PartContext {
  readonly effort: Effort;
  readonly say: (text: string) => void;
  readonly #folder: string;

  constructor(folder: string, effort: Effort, say: (text: string) => void) {
    this.#folder = folder;
    this.effort = effort;
    this.say = say;
  }

  /** A new empty folder, removed with all others when the run ends. */
  newFolder(name: string): string {
    return mkdtempSync(join(this.#folder, `${name}-`));
  }

  /** A copy of prepared events that may be served and written to. */
  copyOf(prepared: PreparedEvents): string {
    return workingCopy(prepared, this.newFolder('data'));
  }

  /** Makes it the present of the measured events, for this process and for services that are started from now on. */
  returnToPresent(): void {
    setPresent(presentMs);
  }

  /** `logmill serve` on a folder, at the time that this process has. */
  async start(dataDir: string): Promise<BenchedService> {
    return await BenchedService.start(dataDir, {
      NODE_OPTIONS: `--import ${join(import.meta.dirname, 'shiftedClock.mjs')}`,
      BENCH_CLOCK_OFFSET_MS: String(Date.now() - machineNow()),
      // Calls that are slow because the machine is busy are no news here.
      LOGMILL_SLOW_QUERY_MS: '60000',
    });
  }

  /** Serves a folder while `work` goes on. */
  async serving<T>(dataDir: string, work: (service: BenchedService) => Promise<T>): Promise<T> {
    const service = await this.start(dataDir);
    try {
      return await work(service);
    } finally {
      await service.stop();
    }
  }
}
