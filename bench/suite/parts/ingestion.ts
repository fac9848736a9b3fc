import { BareEngine } from '../../bareEngine.ts';
import { type BareRate, bareIngest } from '../../bareIngest.ts';
import { daysSpread, generateEvents } from '../../generateEvents.ts';
import { ingestOverHttp } from '../../ingestOverHttp.ts';
import { sealEverything } from '../../sealEverything.ts';
import { type Figure, figure } from '../figure.ts';
import type { PartContext } from '../partContext.ts';
import { target } from '../targets.ts';

const part = 'ingestion';
/** Share of the events that is sent at half of the full rate. */
const pacedShare = 0.3;
/** Batches that the bare engine writes each time. */
const bareBatches = 60;
/** The events are sent in so many parts, with the bare engine's turn between them. */
const turns = 3;
const acknowledgeMsMax = 150;

/**
 * Requests of 1,000 events over HTTP into an empty folder, as fast as they are taken and then at half of that, beside the same rows written
 * by the bare engine with a durable commit for each batch; then what they take on disk when they are sealed and merged.
 */
export async function measureIngestion(context: PartContext): Promise<readonly Figure[]> {
  const folder = context.newFolder('ingestion');
  const dataDir = context.newFolder('data');
  context.say(`making ${context.effort.sentEvents} events over ${daysSpread} days`);
  const file = generateEvents(folder, context.effort.sentEvents, Date.now() * 1000);
  try {
    const fullCount = Math.max(turns, Math.floor(file.batches.length * (1 - pacedShare)));
    const bare: BareRate[] = [];
    const full: Awaited<ReturnType<typeof ingestOverHttp>>[] = [];
    const paced = await context.serving(dataDir, async ({ url }) => {
      for (let turn = 0; turn < turns; turn++) {
        bare.push(await bareIngest(folder, file, file.batches.slice(0, bareBatches)));
        const batches = file.batches.slice(...[turn, turn + 1].map((each) => Math.round((each * fullCount) / turns)));
        full.push(await ingestOverHttp(url, file, batches));
      }
      const rate = meanOf(full.map(({ eventsPerSecond }) => eventsPerSecond));
      return await ingestOverHttp(url, file, file.batches.slice(fullCount), rate / 2);
    });
    await sealEverything(dataDir);
    const stored = await BareEngine.open(dataDir);
    stored.close();
    if (stored.sealedEvents !== file.events)
      throw new Error(`${stored.sealedEvents} of ${file.events} events are stored`);
    const rate = meanOf(full.map(({ eventsPerSecond }) => eventsPerSecond));
    const fromJson = meanOf(bare.map((each) => each.fromJson));
    const share = stored.sealedBytes / file.bytes;
    return [
      figure({
        part,
        what: 'requests of 1,000 events, 4 clients',
        measured: rate,
        unit: 'events/s',
        beside: { what: 'bare engine, from JSON', value: fromJson },
        target: target('ingestRate', rate / fromJson >= 0.5),
      }),
      figure({
        part,
        what: 'the same, beside rows that are at hand',
        measured: rate,
        unit: 'events/s',
        beside: { what: 'bare engine, from cells', value: meanOf(bare.map((each) => each.fromCells)) },
      }),
      figure({
        part,
        what: 'p99 of acknowledgements at half of that rate',
        measured: paced.acknowledgeMsP99,
        unit: 'ms',
        target: target('ingestAcknowledged', paced.acknowledgeMsP99 < acknowledgeMsMax),
        further: {
          median: paced.acknowledgeMsMedian,
          longest: paced.acknowledgeMsMax,
          'p99 at the full rate': Math.max(...full.map(({ acknowledgeMsP99 }) => acknowledgeMsP99)),
        },
      }),
      figure({
        part,
        what: 'bytes of a stored event, sealed and merged',
        measured: stored.sealedBytes / file.events,
        unit: 'bytes',
        beside: { what: 'raw JSON', value: file.bytes / file.events },
        target: target('storedBytes', share <= 0.17),
      }),
    ];
  } finally {
    file.close();
  }
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
