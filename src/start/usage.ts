import type { Clock } from '../core/clock.ts';
import type { Randomness } from '../core/ids.ts';
import type { Observe } from '../core/observation.ts';
import { systemTimer } from '../core/timer.ts';
import { createIngest, defaultIngestLimits, type IngestDependencies } from '../ingest/ingest.ts';
import { sourceDirectory } from '../ingest/sourceDirectory.ts';
import { slowCall } from '../observe/slowCall.ts';
import { defaultUsageSettings, Usage } from '../observe/usage.ts';
import { serviceCalls } from '../sources/serviceCalls.ts';

export interface UsageInputs {
  /** From when on a call is slow, milliseconds. */
  readonly slowMs: number;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly observe: Observe;
}

/** Usage that is stored as other events are, by an ingestion of its own that knows no other source. */
export function startUsage(inputs: UsageInputs, ingestion: IngestDependencies): Usage {
  const ingest = createIngest({
    ...ingestion,
    sources: sourceDirectory([serviceCalls]),
    // Not those of the settings, which may leave no room for a batch of usage.
    limits: defaultIngestLimits,
    // Its batches are no ingestion that an operator asked for.
    observe: () => undefined,
  });
  const write = async (events: readonly object[]): Promise<void> => {
    await ingest.accept({
      tokenId: '#usage',
      maySend: () => true,
      projects: null,
      sourceCandidates: [{ place: 'usage', name: serviceCalls.name }],
      contentType: 'application/json',
      contentEncoding: undefined,
      body: Buffer.from(JSON.stringify(events)),
      idempotencyKey: undefined,
      strict: true,
    });
  };
  return new Usage({ ...defaultUsageSettings, slowMs: inputs.slowMs }, { ...inputs, timer: systemTimer, write });
}

/** Has every observation counted as usage as well, and slow calls told of besides. */
export function observingCalls(observe: Observe, usage: Pick<Usage, 'record'>, slowMs: number): Observe {
  return (observation) => {
    usage.record(observation);
    observe(observation);
    const slow = slowCall(observation, slowMs);
    if (slow !== undefined) observe(slow);
  };
}
