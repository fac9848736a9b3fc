import type { BenchedQuery } from '../../benchedQueries.ts';
import { median } from '../../percentile.ts';
import { projectShares, projects } from '../../projects.ts';
import { call } from '../../queryOverHttp.ts';
import { byTurns, timed } from '../byTurns.ts';
import { eventsText, type Figure, figure } from '../figure.ts';
import { getOverHttp } from '../getOverHttp.ts';
import type { PartContext } from '../partContext.ts';
import type { PreparedEvents } from '../preparedEvents.ts';
import { target } from '../targets.ts';

const part = 'growth';
/** Numbers of events of the compared projects. A project of the same size is taken from each larger folder. */
const sizes = { large: (events: number) => shareOf(1) * events, middling: () => 2500, small: () => 400 } as const;
/** Two projects have the same size if one has at most this many times the events of the other. */
const sizeDifferenceMax = 1.2;

/**
 * Measures the newest 100 events of projects of the same size in the smallest and in every larger folder, in turn. If the
 * larger folder is slower, the cause is other projects' events.
 */
export async function measureGrowth(
  context: PartContext,
  folders: readonly PreparedEvents[],
): Promise<readonly Figure[]> {
  const [fewest, ...more] = folders.toSorted((a, b) => a.events - b.events);
  if (fewest === undefined || more.length === 0) return [];
  const figures: Figure[] = [];
  await context.serving(context.copyOf(fewest), async (small) => {
    for (const many of more) {
      await context.serving(context.copyOf(many), async (large) => {
        for (const [size, eventsOf] of Object.entries(sizes)) {
          const fewRank = rankOfSize(eventsOf(fewest.events) / fewest.events);
          const share = shareOf(fewRank) * (fewest.events / many.events);
          const sameRank = rankOfSize(share);
          // Skip if even the smallest project of the larger folder has more events.
          if (shareOf(sameRank) > share * sizeDifferenceMax) continue;
          const few = newestOf(fewRank);
          const same = newestOf(sameRank);
          await requireFull(small.url, few);
          await requireFull(large.url, same);
          const times = await byTurns(
            { few: timed(() => call(small.url, few)), many: timed(() => call(large.url, same)) },
            context.effort,
          );
          const [fewMs, manyMs] = [median(times.few), median(times.many)];
          figures.push(
            figure({
              part,
              events: many.events,
              what: `newest 100 of a ${size} project (some ${Math.round(shareOf(fewRank) * fewest.events).toLocaleString('en')} events)`,
              measured: manyMs,
              unit: 'ms',
              beside: { what: `the same size among ${eventsText(fewest.events)}`, value: fewMs },
              target: target('newestGrowth', manyMs, fewMs),
            }),
          );
        }
      });
    }
  });
  return figures;
}

function newestOf(rank: number): BenchedQuery {
  const project = projects[rank] ?? '';
  return { title: `newest 100 of rank ${rank}`, definition: 'logs.all', parameters: { project }, isNewest: true };
}

/** Both must return 100 rows; otherwise they do different work. */
async function requireFull(url: string, query: BenchedQuery): Promise<void> {
  const { body } = await getOverHttp(url, query, { isCacheAsked: false });
  const { result } = JSON.parse(body.toString('utf8')) as { result: readonly unknown[] };
  if (result.length !== 100) throw new Error(`${query.title} gave ${result.length} rows`);
}

/** Share of all events that belongs to the project of this rank. */
function shareOf(rank: number): number {
  return (projectShares[rank] ?? 1) - (projectShares[rank - 1] ?? 0);
}

/** The rank whose project has the nearest share. */
function rankOfSize(share: number): number {
  const distances = projects.map((_, rank) => Math.abs(Math.log(shareOf(rank) / share)));
  return distances.indexOf(Math.min(...distances));
}
