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
/** Projects of so many events in the smallest folder are compared with some of the same size in a larger one. */
const sizes = { large: (events: number) => shareOf(1) * events, middling: () => 2500, small: () => 400 } as const;
/** Projects are of the same size while none has more than so many times the events of the other. */
const sizeDifferenceMax = 1.2;

/**
 * The newest 100 of projects of the same size, in the smallest and in every larger folder, by turns: what is
 * slower in the larger one is slower for the events of others.
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
          // Where even the smallest project of the larger folder has more events, there is nothing to compare with.
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
              target: target('newestGrowth', manyMs <= Math.max(1.25 * fewMs, fewMs + 1)),
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

/** Both must give 100 rows, or unlike things are compared. */
async function requireFull(url: string, query: BenchedQuery): Promise<void> {
  const { body } = await getOverHttp(url, query, { isCacheAsked: false });
  const { result } = JSON.parse(body.toString('utf8')) as { result: readonly unknown[] };
  if (result.length !== 100) throw new Error(`${query.title} gave ${result.length} rows`);
}

/** Share of the events that is the project's of a rank. */
function shareOf(rank: number): number {
  return (projectShares[rank] ?? 1) - (projectShares[rank - 1] ?? 0);
}

/** The rank whose project has the share that is nearest. */
function rankOfSize(share: number): number {
  const distances = projects.map((_, rank) => Math.abs(Math.log(shareOf(rank) / share)));
  return distances.indexOf(Math.min(...distances));
}
