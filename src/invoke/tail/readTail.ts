import type { Clock } from '../../core/clock.ts';
import { ServiceError } from '../../core/errors.ts';
import { keyName } from '../../googlesql/plan/pageKeys.ts';
import { rowSlices } from '../../redact/rowSlices.ts';
import { type RedactionServices, redactedFailure, redactedRows } from '../redaction.ts';
import { type RunServices, runQuery } from '../run.ts';
import { StageTimes } from '../stageTimes.ts';
import type { ReadPart } from './readSize.ts';
import { type TailPlace, wholeEvent } from './tailIds.ts';
import type { TailPlan } from './tailPlan.ts';

/**
 * Time after which a tail reads fewer events at once: rows should be sent within half a second, and other tails wait for the
 * place of this one.
 */
const readMsMax = 2000;

/** How long a read waits for a slot of the queue, as other tails wait for its place. The next tick tries again. */
export const readQueueMsMax = 500;

/**
 * How long the engine may go on with a read that was given up, until it is ended: as long as calls may run. Nobody waits for
 * such a read, and ending the engine would end the queries of everybody.
 */
export const readGraceMs = 30_000;

/** Gives a run of the engine its turn. The run calls `stopped` when the engine has stopped. */
export type InPlace = <T>(run: (stopped: () => void) => Promise<T>) => Promise<T>;

export interface TailRow {
  readonly place: TailPlace;
  /** A JSON object. */
  readonly json: string;
}

/** The rows after a place, in order. */
export interface TailRows extends ReadPart {
  readonly rows: readonly TailRow[];
}

export interface TailBounds {
  readonly rowsMax: number;
  readonly bytesMax: number;
}

export interface ReadTailServices extends RunServices, RedactionServices {
  readonly clock: Clock;
}

/**
 * Reads the rows after `from` of events with arrival numbers up to `to`, as a call reads its rows: in the queue of queries,
 * under a deadline, isolated and redacted. Throws `tail.row_too_large` if the next row does not fit into the bounds, and
 * the errors of a call. Redaction is not `inPlace`, because it may take long, and not on the engine.
 */
export async function readTail(
  plan: TailPlan,
  from: TailPlace,
  to: number,
  { rowsMax, bytesMax }: TailBounds,
  signal: AbortSignal,
  services: ReadTailServices,
  inPlace: InPlace,
): Promise<TailRows> {
  // Rows of an event that was sent in part are read again, and left out.
  const isWhole = from.row === wholeEvent;
  const skipped = isWhole ? 0 : from.row + 1;
  const after = isWhole ? from.arrival : from.arrival - 1;
  try {
    const result = await inPlace((stopped) =>
      runQuery(
        {
          token: plan.runner,
          endpoint: plan.endpoint,
          request: () => ({
            ...plan.request,
            query: plan.tailed.query,
            nowMicros: services.clock.nowMicros(),
            arrivals: { after, to },
            hasRowKeys: true,
            rowsMax: rowsMax + skipped,
            bytesMax,
          }),
          timeoutMs: Math.min(plan.timeoutMs, readMsMax),
          queueMsMax: readQueueMsMax,
          graceMs: readGraceMs,
          requestIds: plan.requestIds,
          stopped,
          callerSignal: signal,
          times: new StageTimes(() => services.timer.nowMs()),
        },
        services,
      ),
    );
    const arrivals = (result.rowKeys ?? []).map(arrivalOf);
    const all = placed(arrivals, await shownRows(plan, result.rows, signal, services));
    const rows = all.filter(({ place }) => place.arrival !== from.arrival || place.row >= skipped);
    const isCut = result.hasMore || result.cutByBytes;
    const last = rows.at(-1);
    if (!isCut) return { rows, end: { arrival: to, row: wholeEvent }, isCut };
    if (last === undefined) throw tooLarge(bytesMax);
    return { rows, end: last.place, isCut };
  } catch (error) {
    throw plan.isRedacted ? redactedFailure(error, services.redactor) : error;
  }
}

/** The texts of rows as a reader of the tail may see them. */
export async function shownRows(
  { isRedacted, query, isRedactedAtScan, runner, timeoutMs }: TailPlan,
  rows: Uint8Array,
  signal: AbortSignal,
  services: RedactionServices,
): Promise<readonly string[]> {
  if (!isRedacted) return [...rowSlices(rows, 1)];
  const shown = await redactedRows(
    { rows, query, isRedactedAtScan, tokenId: runner.id, limitMs: timeoutMs, signal },
    services,
  );
  return [...rowSlices(shown.rows, 1)];
}

function tooLarge(bytesMax: number): ServiceError {
  return new ServiceError(
    'tail.row_too_large',
    `A row, with the rows of the same event before it, takes more than the ${bytesMax} bytes that a tail reads at once. Select fewer or shorter columns.`,
  );
}

/** The arrival number in the keys of a row (googlesql/plan/tailQuery.ts). */
function arrivalOf(keys: string): number {
  const { [keyName(0)]: arrival } = JSON.parse(keys) as Readonly<Record<string, unknown>>;
  if (typeof arrival !== 'number') throw new Error('a row of a tail came without its arrival number');
  return arrival;
}

/** Numbers the rows of each event. `arrivals` has the arrival number of each row. */
export function placed(arrivals: readonly number[], texts: readonly string[]): readonly TailRow[] {
  if (arrivals.length !== texts.length) throw new Error('a tail was read without the arrival of each row');
  const rows: TailRow[] = [];
  let row = 0;
  for (const [i, json] of texts.entries()) {
    const arrival = arrivals[i] ?? 0;
    row = i > 0 && arrivals[i - 1] === arrival ? row + 1 : 0;
    rows.push({ place: { arrival, row }, json });
  }
  return rows;
}
