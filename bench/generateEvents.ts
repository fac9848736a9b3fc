import { SeededRandom } from '../src/demo/seededRandom.ts';
import { EventFile } from './eventFile.ts';
import { pickProject } from './projects.ts';
import { streams, syntheticEvent } from './syntheticEvent.ts';

export const eventsPerBatch = 1000;
export const daysSpread = 30;

const dayMicros = 86_400_000_000;
/** The events of one batch lie within this time, like those of a shipper. */
const batchSpreadMicros = 600_000_000;

/**
 * Writes batches of one stream each, in order of time over the days before `nowMicros`. The same seed produces the same
 * events.
 */
export function generateEvents(
  folder: string,
  count: number,
  nowMicros: number,
  eventsEach = eventsPerBatch,
): EventFile {
  const random = new SeededRandom('bench');
  const file = new EventFile(folder);
  const batches = Math.ceil(count / eventsEach);
  const weighted = streams.map((stream) => [stream, stream[1]] as const);
  for (let batch = 0; batch < batches; batch++) {
    const [source, , maker] = random.weighted(weighted);
    const untilMicros = nowMicros - Math.round(((batches - 1 - batch) / batches) * daysSpread * dayMicros);
    const events: string[] = [];
    for (let n = 0; n < eventsEach; n++) {
      const micros = untilMicros - random.integer(0, batchSpreadMicros);
      events.push(syntheticEvent(maker, random, pickProject(random), micros));
    }
    file.add(source, events);
  }
  return file;
}
