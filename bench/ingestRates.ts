import { type BareRate, bareIngest } from './bareIngest.ts';
import type { BenchedService } from './benchedService.ts';
import type { BatchPlace, EventFile } from './eventFile.ts';
import { type IngestResult, ingestOverHttp } from './ingestOverHttp.ts';
import { median } from './percentile.ts';

/** Batches that the bare engine writes in each round. */
const bareBatches = 40;

export interface IngestRates {
  readonly eventsPerSecond: number;
  readonly bareFromJson: number;
  readonly bareFromCells: number;
  /** Medians over the rounds: the ratio of the service's rate to the bare engine's in the same round. */
  readonly besideFromJson: number;
  readonly besideFromCells: number;
  readonly acknowledgeMsP99: number;
  /** Processor time of both processes for 1,000 events, milliseconds. */
  readonly processorMsPerThousand: number;
  /** At half of the rate. */
  readonly paced: Omit<IngestResult, 'acknowledgeMs'>;
}

export interface IngestRatesOptions {
  readonly clients: number;
  readonly rounds: number;
  /** Share of the batches that are sent at half of the rate. */
  readonly pacedShare: number;
}

export const ingestRatesDefaults: IngestRatesOptions = { clients: 4, rounds: 5, pacedShare: 0.3 };

/** Measures the ingestion rate, in turn with the bare engine, and acknowledgements at half of it. */
export async function ingestRates(
  service: BenchedService,
  folder: string,
  file: EventFile,
  batches: readonly BatchPlace[],
  options: IngestRatesOptions = ingestRatesDefaults,
): Promise<IngestRates> {
  const { clients, rounds, pacedShare } = options;
  const atFullRate = Math.floor(batches.length * (1 - pacedShare));
  const full: IngestResult[] = [];
  const bare: BareRate[] = [];
  let processorMs = 0;
  let events = 0;
  for (let round = 0; round < rounds; round++) {
    bare.push(await bareIngest(folder, file, batches.slice(0, bareBatches)));
    const share = batches.slice(
      Math.floor((atFullRate * round) / rounds),
      Math.floor((atFullRate * (round + 1)) / rounds),
    );
    const before = service.processorMs();
    full.push(await ingestOverHttp(service.url, file, share, Number.POSITIVE_INFINITY, clients));
    processorMs += service.processorMs() - before;
    events += share.reduce((sum, batch) => sum + batch.events, 0);
  }
  const eventsPerSecond = median(full.map((result) => result.eventsPerSecond));
  const { acknowledgeMs: _each, ...paced } = await ingestOverHttp(
    service.url,
    file,
    batches.slice(atFullRate),
    eventsPerSecond / 2,
  );
  const beside = (pick: (rate: BareRate) => number) =>
    median(full.map((result, round) => result.eventsPerSecond / pick(bare[round] ?? { fromJson: 0, fromCells: 0 })));
  return {
    eventsPerSecond,
    bareFromJson: median(bare.map(({ fromJson }) => fromJson)),
    bareFromCells: median(bare.map(({ fromCells }) => fromCells)),
    besideFromJson: beside(({ fromJson }) => fromJson),
    besideFromCells: beside(({ fromCells }) => fromCells),
    acknowledgeMsP99: median(full.map((result) => result.acknowledgeMsP99)),
    processorMsPerThousand: processorMs / (events / 1000),
    paced,
  };
}
