import { benchedQueries } from './benchedQueries.ts';
import type { BatchPlace, EventFile } from './eventFile.ts';
import { ingestOverHttp } from './ingestOverHttp.ts';
import { median, percentile } from './percentile.ts';
import { call } from './queryOverHttp.ts';

export interface MixedLoadOptions {
  /** Clients that call the benched queries in turn, without pauses. */
  readonly queryClients: number;
  /** Events that arrive meanwhile. */
  readonly eventsPerSecond: number;
  /** Duration of each phase; there are `rounds` phases with events and as many without, in turn. */
  readonly phaseSeconds: number;
  readonly rounds: number;
}

export const mixedLoadDefaults: MixedLoadOptions = {
  queryClients: 16,
  eventsPerSecond: 2000,
  phaseSeconds: 8,
  rounds: 3,
};

export interface MixedLoadResult {
  readonly queryMsMedianWithout: number;
  readonly queryMsMedianWith: number;
  readonly queryMsP99Without: number;
  readonly queryMsP99With: number;
  /** Median with events divided by the median without. */
  readonly queryRatio: number;
  readonly callsPerSecondWithout: number;
  readonly callsPerSecondWith: number;
  readonly eventsPerSecond: number;
  readonly acknowledgeMsMedian: number;
  readonly acknowledgeMsP99: number;
  readonly acknowledgeMsMax: number;
  readonly refused: number;
}

/** Number of events that `mixedLoad` uses. */
export function mixedLoadEvents({ eventsPerSecond, phaseSeconds, rounds }: MixedLoadOptions): number {
  return eventsPerSecond * phaseSeconds * rounds;
}

/**
 * Measures queries of several clients, with and without arriving events in turn, so that other load on the machine
 * affects both equally.
 */
export async function mixedLoad(
  url: string,
  file: EventFile,
  batches: readonly BatchPlace[],
  options: MixedLoadOptions = mixedLoadDefaults,
): Promise<MixedLoadResult> {
  const { eventsPerSecond, phaseSeconds, rounds } = options;
  const times = { without: [] as number[], with: [] as number[] };
  const acknowledgeMs: number[] = [];
  let refused = 0;
  let events = 0;
  let ingestSeconds = 0;
  // A newly started service runs code that is not compiled yet.
  await queries(url, options.queryClients, [], secondsFrom(phaseSeconds));
  for (let round = 0; round < rounds; round++) {
    await queries(url, options.queryClients, times.without, secondsFrom(phaseSeconds));
    const share = batches.slice(
      Math.floor((batches.length * round) / rounds),
      Math.floor((batches.length * (round + 1)) / rounds),
    );
    const startedMs = performance.now();
    let isOver = false;
    const ingestion = ingestOverHttp(url, file, share, eventsPerSecond).finally(() => {
      isOver = true;
    });
    await Promise.all([ingestion, queries(url, options.queryClients, times.with, () => isOver)]);
    const result = await ingestion;
    ingestSeconds += (performance.now() - startedMs) / 1000;
    events += share.reduce((sum, batch) => sum + batch.events, 0);
    acknowledgeMs.push(...result.acknowledgeMs);
    refused += result.refused;
  }
  const medianWithout = median(times.without);
  const medianWith = median(times.with);
  return {
    queryMsMedianWithout: medianWithout,
    queryMsMedianWith: medianWith,
    queryMsP99Without: percentile(times.without, 0.99),
    queryMsP99With: percentile(times.with, 0.99),
    queryRatio: medianWith / medianWithout,
    callsPerSecondWithout: times.without.length / (phaseSeconds * rounds),
    callsPerSecondWith: times.with.length / ingestSeconds,
    eventsPerSecond: events / ingestSeconds,
    acknowledgeMsMedian: median(acknowledgeMs),
    acknowledgeMsP99: percentile(acknowledgeMs, 0.99),
    acknowledgeMsMax: percentile(acknowledgeMs, 1),
    refused,
  };
}

function secondsFrom(seconds: number): () => boolean {
  const endsMs = performance.now() + seconds * 1000;
  return () => performance.now() >= endsMs;
}

async function queries(url: string, clients: number, times: number[], isOver: () => boolean): Promise<void> {
  let next = 0;
  const client = async () => {
    while (!isOver()) {
      const query = benchedQueries[next++ % benchedQueries.length];
      if (query === undefined) return;
      const sentMs = performance.now();
      await call(url, query);
      times.push(performance.now() - sentMs);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
}
