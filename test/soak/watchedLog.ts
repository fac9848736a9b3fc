import type { LogEntry } from './soakedService.ts';
import type { SoakRun } from './soakRun.ts';

/** Work on files that the service retries every second. Long after the last fault, it must have succeeded. */
const stillTried =
  /no new file could be created|could not be sealed yet|cannot be put in its place|cannot be opened yet/;
const stillTriedMs = 5_000;
const saidAgainMs = 10_000;
const causesTold: ReadonlySet<string> = new Set(['internal', 'engine.failed', 'sql.data']);
const kindsTold: ReadonlySet<string> = new Set([
  'warning',
  'file.damaged',
  'engine.killed',
  'store.lost',
  'store.recovered',
]);

/** Counts log lines of the services by kind, prints important ones, and records internal errors as findings. */
export class WatchedLog {
  readonly kinds = new Map<string, number>();
  readonly #run: SoakRun;
  /** When each message was last said; the same one may come many times a second. */
  readonly #saidMs = new Map<string, number>();
  /** The first and last failure of each work on files since its last longer pause. */
  readonly #tried = new Map<string, { readonly firstMs: number; readonly lastMs: number }>();

  constructor(run: SoakRun) {
    this.#run = run;
  }

  /** Messages of work on files that has failed for some time and still fails. */
  stillTried(): readonly string[] {
    const nowMs = performance.now();
    return [...this.#tried].flatMap(([message, { firstMs, lastMs }]) =>
      nowMs - lastMs < stillTriedMs && nowMs - firstMs >= stillTriedMs ? [message] : [],
    );
  }

  read(entry: LogEntry, from: string): void {
    const kind = String(entry.kind ?? 'unknown');
    const message = entry.message ?? entry.msg;
    this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
    if (kind === 'warning' && stillTried.test(String(message))) this.#noteTried(String(message));
    // The answers to these do not contain the cause.
    if (kind === 'request.failed' && causesTold.has(String(entry.code))) {
      this.#say(from, { kind, code: entry.code, requestId: entry.requestId, cause: entry.cause }, 600);
    }
    if (kind === 'request.failed' && entry.code === 'internal')
      this.#run.find('an internal error was logged', JSON.stringify(entry));
    if (kindsTold.has(kind)) {
      const { file, reason, cause, err } = entry;
      this.#say(from, { kind, message, file, reason, cause: cause ?? err }, 400);
    }
  }

  #noteTried(message: string): void {
    const nowMs = performance.now();
    const before = this.#tried.get(message);
    const isRetry = before !== undefined && nowMs - before.lastMs < stillTriedMs;
    this.#tried.set(message, { firstMs: isRetry ? before.firstMs : nowMs, lastMs: nowMs });
  }

  #say(from: string, told: LogEntry, charactersMax: number): void {
    const what = `${from} ${told.kind} ${told.message}`;
    const nowMs = performance.now();
    if (nowMs - (this.#saidMs.get(what) ?? Number.NEGATIVE_INFINITY) < saidAgainMs) return;
    this.#saidMs.set(what, nowMs);
    this.#run.say(`log of ${from}: ${JSON.stringify(told).slice(0, charactersMax)}`);
  }
}
