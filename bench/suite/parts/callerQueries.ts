import { callWithSql } from '../../callerOverHttp.ts';
import { type CallerQuery, callerQueries } from '../../callerQueries.ts';
import { type Asked, HandWritten } from '../../handWritten.ts';
import { median } from '../../percentile.ts';
import { measuredProjects } from '../../projects.ts';
import { requireSameRows } from '../../sameRows.ts';
import { byTurns, type TimedWork, timed } from '../byTurns.ts';
import { type Figure, figure } from '../figure.ts';
import type { PartContext } from '../partContext.ts';
import { type PreparedEvents, presentMs } from '../preparedEvents.ts';

const part = 'queries of callers';
const dayMs = 86_400_000;

/** What a caller's query is asked for: a project over the last day, or over the whole history. */
export function askedOf(query: CallerQuery, project: string): Asked {
  return { project, afterMicros: query.isOfWholeHistory ? null : (presentMs - dayMs) * 1000 };
}

export function spanOf(query: CallerQuery): string {
  return query.isOfWholeHistory ? 'whole history' : '24 h';
}

/** A caller's query over HTTP; throws unless it was answered with rows. */
export async function askOverHttp(url: string, { name, text }: CallerQuery, asked: Asked): Promise<Buffer> {
  const { project, afterMicros } = asked;
  const start = afterMicros === null ? {} : { iso_timestamp_start: new Date(afterMicros / 1000).toISOString() };
  const answer = await callWithSql(url, text, { project, ...start });
  if (answer.status !== 200) throw new Error(`${name} was answered with ${answer.body.toString()}`);
  return answer.body;
}

/** Queries as dashboards send them, through the sandbox and over HTTP, beside the fastest statement that we could write by hand for the engine. */
export async function measureCallerQueries(context: PartContext, prepared: PreparedEvents): Promise<readonly Figure[]> {
  const hand = await HandWritten.open(context.copyOf(prepared));
  const figures: Figure[] = [];
  await context.serving(context.copyOf(prepared), async ({ url }) => {
    for (const query of callerQueries) {
      for (const [size, project] of Object.entries(measuredProjects)) {
        const asked = askedOf(query, project);
        const body = await askOverHttp(url, query, asked);
        const works: Record<string, TimedWork> = { http: timed(() => askOverHttp(url, query, asked)) };
        for (const [n, way] of query.byHand.entries()) {
          requireSameRows(`${query.name} for ${JSON.stringify(asked)}`, body, (await hand.run(way, asked)).rows);
          works[`by hand ${n}`] = async () => (await hand.run(way, asked)).ms;
        }
        const { http = [], ...ways } = await byTurns(works, context.effort);
        figures.push(
          figure({
            part,
            events: prepared.events,
            what: `${query.name}, ${spanOf(query)}, ${size}`,
            measured: median(http),
            unit: 'ms',
            beside: {
              what: 'bare engine by hand',
              value: Math.min(...Object.values(ways).map((each) => median(each))),
            },
          }),
        );
      }
    }
  });
  return figures;
}
