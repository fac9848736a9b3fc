import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { BenchedService } from '../benchedService.ts';
import { type PreparedEvents, presentMs, workingCopy } from './preparedEvents.ts';
import { machineNow, setPresent } from './shiftedClock.mjs';

/** How thorough the measurement is. */
export interface Effort {
  /** Number of alternating rounds. */
  readonly rounds: number;
  readonly warmRounds: number;
  /** Seconds of each round of continuous work. */
  readonly seconds: number;
  /** Starts of the service, to measure start-up and cold calls. */
  readonly starts: number;
  /** Events to send over HTTP. */
  readonly sentEvents: number;
  /** Sections of the day of dashboards, and how long each is replayed. */
  readonly day: { readonly sections: number; readonly seconds: number };
}

/** What every part of the suite needs: the effort, folders and services. */
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

  /** Copies prepared events to a folder that a service can write to. */
  copyOf(prepared: PreparedEvents): string {
    return workingCopy(prepared, this.newFolder('data'));
  }

  /** Sets the clock to the end of the measured events, for this process and for services started later. */
  returnToPresent(): void {
    setPresent(presentMs);
  }

  /** Starts `logmill serve` on a folder, with the clock of this process. */
  async start(dataDir: string): Promise<BenchedService> {
    return await BenchedService.start(dataDir, {
      NODE_OPTIONS: `--import ${join(import.meta.dirname, 'shiftedClock.mjs')}`,
      BENCH_CLOCK_OFFSET_MS: String(Date.now() - machineNow()),
      // A busy machine makes calls slow; do not log that.
      LOGMILL_SLOW_QUERY_MS: '60000',
    });
  }

  /** Serves a folder until `work` is done. */
  async serving<T>(dataDir: string, work: (service: BenchedService) => Promise<T>): Promise<T> {
    const service = await this.start(dataDir);
    try {
      return await work(service);
    } finally {
      await service.stop();
    }
  }
}
