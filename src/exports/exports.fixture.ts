import { ManualClock } from '../core/clock.ts';
import { Turns } from '../core/concurrency/turns.ts';
import { ServiceError } from '../core/errors.ts';
import { systemRandomness } from '../core/ids.ts';
import { ManualTimer } from '../core/timer.ts';
import { chosenJson, type FormatName } from '../formats/resultFormat.ts';
import { STRING } from '../googlesql/types.ts';
import { tokenOf } from '../invoke/cachedCalls.fixture.ts';
import { noFacts } from '../invoke/callFacts.ts';
import type { InvokeAnswer, InvokeCall } from '../invoke/invoke.ts';
import { StageTimes } from '../invoke/stageTimes.ts';
import { ExportFiles } from './exportFiles.ts';
import { type ExportLimits, Exports, type ExportsOptions } from './exports.ts';

const startMicros = Date.UTC(2026, 4, 1) * 1000;
export const endpoint = { id: '11111111-1111-4111-8111-111111111111', name: 'example.rows', version: 3 };
const shown = { redactPii: false, sandbox: true };
export const generous: ExportLimits = { rowsMax: 1000, bytesMax: 1e6, diskBytesMax: 1e6, timeoutMs: 60_000 };

/** An answer in pages of two rows. A page that is held or fails does so before its rows. */
export class Pages {
  pages = 1;
  failures: unknown[] = [];
  calls = 0;
  hold: Promise<void> | null = null;
  /** The tokens and numbers of the pages that were read. */
  readonly order: string[] = [];
  column = 'v';

  readonly invoke = async (call: InvokeCall): Promise<InvokeAnswer> => {
    const { part, signal } = call;
    if (part === undefined) throw new Error('no part is asked for');
    this.calls += 1;
    const format = { ...chosenJson, name: call.accepted ?? ('json' as FormatName) };
    part.checked({ endpoint: { ...endpoint, ...shown }, format, profile: 'plain' } as never);
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
    if (this.hold !== null) {
      await Promise.race([
        this.hold,
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
      ]);
    }
    const page = Number(part.cursor ?? 0);
    this.order.push(`${call.token.publicId} ${page}`);
    const rowCount = Math.min(2, part.rowsMax);
    const rows = Array.from({ length: rowCount }, (_, i) => `{"${this.column}":"${page}-${i}"}`).join(',');
    return {
      body: Buffer.alloc(0),
      headers: {},
      rows: null,
      repeatable: null,
      links: { next: page + 1 < this.pages ? String(page + 1) : null, prev: null },
      part: {
        rows: Buffer.from(rows),
        shape: {
          endpoint,
          query: {
            columns: [{ name: this.column, column: { id: 1, name: this.column, type: STRING }, recordForm: 'object' }],
          },
          result: {
            rows: Buffer.from(rows),
            rowCount,
            hasMore: false,
            cutByBytes: false,
            rowsScanned: 5,
            elapsedMs: 1,
          },
          truncatedBy: null,
          notices: [{ code: 'page.order_added', message: 'Pages are ordered by arrival.' }],
          cache: { outcome: 'bypass', asOfMicros: startMicros },
          redaction: { applied: true, counts: { email: 1 } },
        },
      },
    };
  };
}

/** Exports whose surroundings a test changes. Must be opened and closed. */
export class TestedExports {
  readonly clock = new ManualClock(startMicros);
  readonly timer = new ManualTimer();
  readonly pages = new Pages();
  readonly observations: Parameters<ExportsOptions['observe']>[0][] = [];
  isLive: ExportsOptions['isLive'] = async () => true;
  parquet: ExportsOptions['parquet'] = undefined;
  /** The current version of the endpoint; null if it was deleted. */
  version: number | null = 3;
  basis = 'first';
  isDiskLow = false;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async open(limits: Partial<ExportLimits> = {}): Promise<Exports> {
    const opened = new Exports({
      files: new ExportFiles(this.#folder),
      invoke: this.pages.invoke,
      parquet: this.parquet,
      isLive: (tokenId) => this.isLive(tokenId),
      endpoints: {
        findById: async () => {
          const { version } = this;
          return version === null ? undefined : ({ ...endpoint, ...shown, version } as never);
        },
        list: async () => [],
        revision: () => undefined,
      } as never,
      basis: () => this.basis,
      isDiskLow: () => this.isDiskLow,
      limits: { ...generous, ...limits },
      clock: this.clock,
      timer: this.timer,
      turns: new Turns(),
      randomness: systemRandomness,
      observe: (observation) => this.observations.push(observation),
    });
    await opened.open();
    return opened;
  }
}

export const callOf = (tokenId = 'alice', accepted: FormatName = 'json') => ({
  token: tokenOf(tokenId),
  idOrName: endpoint.name,
  parameters: [],
  redactHeader: { name: 'r', value: undefined },
  valuesHeader: { name: 'v', value: undefined },
  freshness: { maxAgeSeconds: null, onlyIfCached: false } as never,
  accepted,
  notices: [],
  requestId: 'request-1',
  times: new StageTimes(() => 0),
  facts: noFacts(),
});

export const codeOf = async (work: Promise<unknown> | (() => unknown)) => {
  try {
    await (typeof work === 'function' ? work() : work);
  } catch (error) {
    return error instanceof ServiceError ? error.code : error;
  }
  return null;
};
