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
import { target } from '../targets.ts';

const part = 'caller queries';
const dayMs = 86_400_000;
/** Days before now that queries cover. Only the large project has enough events for the long span. */
const shortDays = 1;
const longDays = 30;

/** A caller query for one project and time span. */
export interface CallerCase {
  readonly what: string;
  readonly query: CallerQuery;
  readonly asked: Asked;
  /** Null: the whole history. */
  readonly days: number | null;
}

/**
 * Every query: over a day for each size of project, over a month for the large project, or over the whole history if
 * the query is meant for that.
 */
export const callerCases: readonly CallerCase[] = callerQueries.flatMap((query) => {
  const ofSize = (size: keyof typeof measuredProjects, days: number | null): CallerCase => ({
    what: `${query.name}, ${days === null ? 'whole history' : days === 1 ? '24 h' : `${days} days`}, ${size}`,
    query,
    asked: { project: measuredProjects[size], afterMicros: days === null ? null : (presentMs - days * dayMs) * 1000 },
    days,
  });
  const days = query.isOfWholeHistory ? null : shortDays;
  const sizes = ['large', 'middling', 'tiny'] as const;
  return [...sizes.map((size) => ofSize(size, days)), ...(days === null ? [] : [ofSize('large', longDays)])];
});

/** Sends a caller query over HTTP. Throws unless the answer has rows. */
export async function askOverHttp(url: string, { name, text }: CallerQuery, asked: Asked): Promise<Buffer> {
  const { project, afterMicros } = asked;
  const start = afterMicros === null ? {} : { iso_timestamp_start: new Date(afterMicros / 1000).toISOString() };
  const answer = await callWithSql(url, text, { project, ...start });
  if (answer.status !== 200) throw new Error(`${name} was answered with ${answer.body.toString()}`);
  return answer.body;
}

/**
 * Compares queries as dashboards send them, over HTTP through the sandbox, with the fastest statement that we could write
 * by hand for the engine.
 */
export async function measureCallerQueries(context: PartContext, prepared: PreparedEvents): Promise<readonly Figure[]> {
  const hand = await HandWritten.open(context.copyOf(prepared));
  const figures: Figure[] = [];
  await context.serving(context.copyOf(prepared), async ({ url }) => {
    for (const { what, query, asked, days } of callerCases) {
      const body = await askOverHttp(url, query, asked);
      const works: Record<string, TimedWork> = { http: timed(() => askOverHttp(url, query, asked)) };
      for (const [n, way] of query.byHand.entries()) {
        requireSameRows(what, body, (await hand.run(way, asked)).rows);
        works[`by hand ${n}`] = async () => (await hand.run(way, asked)).ms;
      }
      const { http = [], ...ways } = await byTurns(works, context.effort);
      const byHandMs = Math.min(...Object.values(ways).map((each) => median(each)));
      const httpMs = median(http);
      figures.push(
        figure({
          part,
          events: prepared.events,
          what,
          measured: httpMs,
          unit: 'ms',
          beside: { what: 'hand-written SQL', value: byHandMs },
          target: days === shortDays ? target('callerDay', httpMs, byHandMs) : null,
        }),
      );
    }
  });
  return figures;
}
