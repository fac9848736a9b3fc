import type { Clock } from '../core/clock.ts';
import type { Randomness } from '../core/ids.ts';
import type { Observe } from '../core/observation.ts';
import { systemTimer } from '../core/timer.ts';
import { createIngest, defaultIngestLimits, type IngestDependencies } from '../ingest/ingest.ts';
import { sourceDirectory } from '../ingest/sourceDirectory.ts';
import { slowCall } from '../observe/slowCall.ts';
import { defaultUsageSettings, Usage } from '../observe/usage.ts';
import type { UsageCounter } from '../ports/usageCounter.ts';
import { serviceCalls } from '../sources/serviceCalls.ts';

export interface UsageInputs {
  /** Milliseconds after which a call counts as slow. */
  readonly slowMs: number;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly observe: Observe;
  /** `UsageServices.given`. */
  readonly given?: ((text: string) => string) | undefined;
}

/** Stores usage as events, through an ingestion of its own that knows no other source. */
export function startUsage(inputs: UsageInputs, ingestion: IngestDependencies): Usage {
  const ingest = createIngest({
    ...ingestion,
    sources: sourceDirectory([serviceCalls]),
    // Not the limits of the settings, which could be too small for a batch of usage.
    limits: defaultIngestLimits,
    // The operator did not ask for these batches, so they are not reported.
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

/** Wraps `observe` so that it also records usage and reports slow calls. */
export function observingCalls(observe: Observe, usage: Pick<UsageCounter, 'record'>, slowMs: number): Observe {
  return (observation) => {
    usage.record(observation);
    observe(observation);
    const slow = slowCall(observation, slowMs);
    if (slow !== undefined) observe(slow);
  };
}
