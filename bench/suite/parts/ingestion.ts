import { BareEngine } from '../../bareEngine.ts';
import { generateEvents } from '../../generateEvents.ts';
import { ingestRates, ingestRatesDefaults } from '../../ingestRates.ts';
import { sealEverything } from '../../sealEverything.ts';
import { type Figure, figure } from '../figure.ts';
import type { PartContext } from '../partContext.ts';
import { target } from '../targets.ts';

const part = 'ingestion';
/** Share of the events to send at half the rate: enough requests for a p99. */
const pacedShare = 0.5;

/**
 * Measures requests of 1,000 events over HTTP into an empty folder, at the full rate and then at half of it. Compares them
 * with the same rows written by the bare engine, with one durable commit per batch. Then measures the bytes on disk after
 * sealing and compaction.
 */
export async function measureIngestion(context: PartContext): Promise<readonly Figure[]> {
  const { sentEvents, rounds } = context.effort;
  const folder = context.newFolder('ingestion');
  const dataDir = context.newFolder('data');
  context.say(`making ${sentEvents} events`);
  const file = generateEvents(folder, sentEvents, Date.now() * 1000);
  try {
    const given = { ...ingestRatesDefaults, pacedShare, rounds: Math.min(rounds, ingestRatesDefaults.rounds) };
    const rates = await context.serving(dataDir, (service) => ingestRates(service, folder, file, file.batches, given));
    await sealEverything(dataDir);
    const stored = await BareEngine.open(dataDir);
    stored.close();
    if (stored.sealedEvents !== file.events)
      throw new Error(`${stored.sealedEvents} of ${file.events} events are stored`);
    const { paced } = rates;
    return [
      figure({
        part,
        what: `requests of 1,000 events, ${given.clients} clients`,
        measured: rates.eventsPerSecond,
        unit: 'events/s',
        beside: { what: 'bare engine, from JSON', value: rates.bareFromJson },
        pairedRatio: rates.besideFromJson,
        target: target('ingestRate', rates.besideFromJson),
      }),
      figure({
        part,
        what: 'the same, compared with rows already in memory',
        measured: rates.eventsPerSecond,
        unit: 'events/s',
        beside: { what: 'bare engine, from rows in memory', value: rates.bareFromCells },
        pairedRatio: rates.besideFromCells,
      }),
      figure({
        part,
        what: 'p99 of acknowledgements at half of that rate',
        measured: paced.acknowledgeMsP99,
        unit: 'ms',
        target: target('ingestAcknowledged', paced.acknowledgeMsP99),
        further: {
          median: paced.acknowledgeMsMedian,
          longest: paced.acknowledgeMsMax,
          'p99 at the full rate': rates.acknowledgeMsP99,
        },
      }),
      figure({
        part,
        what: 'processor time of both processes for 1,000 events',
        measured: rates.processorMsPerThousand,
        unit: 'ms',
      }),
      figure({
        part,
        what: 'an event on disk, sealed and merged',
        measured: stored.sealedBytes / file.events,
        unit: 'bytes',
        beside: { what: 'raw JSON', value: file.bytes / file.events },
        target: target('storedBytes', stored.sealedBytes, file.bytes),
      }),
    ];
  } finally {
    file.close();
  }
}
