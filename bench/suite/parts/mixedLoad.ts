import { setTimeout as delay } from 'node:timers/promises';
import type { BenchedService } from '../../benchedService.ts';
import { generateEvents } from '../../generateEvents.ts';
import { mixedLoad, mixedLoadDefaults, mixedLoadEvents } from '../../mixedLoad.ts';
import { type Figure, figure } from '../figure.ts';
import type { PartContext } from '../partContext.ts';
import type { PreparedEvents } from '../preparedEvents.ts';
import { manyEvents, megabytes, target } from '../targets.ts';

const part = 'start and memory';
/** Events in a request: few, so that there are enough acknowledgements for a p99. */
const eventsEach = 200;
/** How long a started service is idle before its memory is read: Node gives back what the start needed after half a minute. */
const idleMs = 60_000;
const startedMs = 2000;
const sampleMs = 250;
/** Minimum share of the intended event rate. */
const takenShareMin = 0.95;

/**
 * Measures queries of 16 clients with and without 2,000 incoming events per second, in turn, and the memory of all
 * processes before and during the load.
 */
export async function measureMixedLoad(context: PartContext, prepared: PreparedEvents): Promise<readonly Figure[]> {
  const { rounds, seconds } = context.effort;
  const options = {
    ...mixedLoadDefaults,
    rounds: Math.min(rounds, mixedLoadDefaults.rounds),
    phaseSeconds: Math.min(seconds * 2, mixedLoadDefaults.phaseSeconds),
  };
  const empty = await context.serving(context.newFolder('data'), idleMemory);
  const file = generateEvents(context.newFolder('mixed'), mixedLoadEvents(options), Date.now() * 1000, eventsEach);
  try {
    return await context.serving(context.copyOf(prepared), async (service) => {
      const opened = await idleMemory(service);
      const samples: number[] = [];
      const sampling = setInterval(() => samples.push(service.residentMiB() ?? Number.NaN), sampleMs);
      const mixed = await mixedLoad(service.url, file, file.batches, options).finally(() => clearInterval(sampling));
      const peakMiB = Math.max(...samples);
      const { events } = prepared;
      // Fast queries do not count if events had to wait for them.
      const isTakenIn = mixed.eventsPerSecond >= options.eventsPerSecond * takenShareMin;
      const common = { part: 'mixed load', events };
      return [
        figure({
          ...common,
          what: `median of queries of ${options.queryClients} clients, ${options.eventsPerSecond.toLocaleString('en')} events/s arriving`,
          measured: mixed.queryMsMedianWith,
          unit: 'ms',
          beside: { what: 'without events', value: mixed.queryMsMedianWithout },
          target: target('mixedLoad', isTakenIn ? mixed.queryRatio : Number.POSITIVE_INFINITY),
        }),
        figure({
          ...common,
          what: 'p99 of these queries',
          measured: mixed.queryMsP99With,
          unit: 'ms',
          beside: { what: 'without events', value: mixed.queryMsP99Without },
        }),
        figure({
          ...common,
          what: 'calls per second',
          measured: mixed.callsPerSecondWith,
          unit: 'calls/s',
          beside: { what: 'without events', value: mixed.callsPerSecondWithout },
        }),
        figure({ ...common, what: 'events taken in', measured: mixed.eventsPerSecond, unit: 'events/s' }),
        figure({
          ...common,
          what: 'p99 of acknowledgements meanwhile',
          measured: mixed.acknowledgeMsP99,
          unit: 'ms',
          further: { median: mixed.acknowledgeMsMedian, longest: mixed.acknowledgeMsMax },
        }),
        idleFigure('memory of all processes, idle and empty', empty, null),
        idleFigure('memory of all processes, idle', opened, events),
        figure({
          part,
          events,
          what: 'peak memory of all processes under the mixed load',
          measured: megabytes(peakMiB),
          unit: 'MB',
          target: events >= manyEvents ? target('memoryBusy', megabytes(peakMiB)) : null,
        }),
      ];
    });
  } finally {
    file.close();
  }
}

interface IdleMemory {
  readonly megabytes: number;
  /** Two seconds after the start. */
  readonly startedMegabytes: number;
}

function idleFigure(
  what: string,
  { megabytes: measured, startedMegabytes }: IdleMemory,
  events: number | null,
): Figure {
  return figure({
    part,
    events,
    what,
    measured,
    unit: 'MB',
    target: target('memoryIdle', measured),
    further: { '2 s after the start': startedMegabytes },
  });
}

async function idleMemory(service: BenchedService): Promise<IdleMemory> {
  await delay(startedMs);
  const startedMegabytes = residentMegabytes(service);
  await delay(idleMs - startedMs);
  return { megabytes: residentMegabytes(service), startedMegabytes };
}

function residentMegabytes(service: BenchedService): number {
  const resident = service.residentMiB();
  if (resident === null) throw new Error('the system does not tell the memory of processes');
  return megabytes(resident);
}
