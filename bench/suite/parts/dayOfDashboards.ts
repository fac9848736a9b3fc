import type pg from 'pg';
import { SeededRandom } from '../../../src/demo/seededRandom.ts';
import { ofAnswer } from '../../comparableRows.ts';
import type { Question } from '../../day/questions.ts';
import { ask, type Replayed, replay } from '../../day/replay.ts';
import { type Step, sectionOf } from '../../day/schedule.ts';
import { SentEvents } from '../../day/sentEvents.ts';
import { logmillSide, PostgresSide, type Side } from '../../day/side.ts';
import { median, percentile } from '../../percentile.ts';
import { perfectIndex } from '../../postgres/loadEvents.ts';
import { requireEqualRows } from '../../sameRows.ts';
import { type Figure, figure } from '../figure.ts';
import { withLoadedPostgres } from '../loadedPostgres.ts';
import type { PartContext } from '../partContext.ts';
import { type PreparedEvents, presentMs } from '../preparedEvents.ts';
import { target } from '../targets.ts';

const part = 'a day of dashboards';
/** Seconds of each section without questions, as a share of those with questions. */
const aloneShare = 0.25;
const warmSeconds = 10;
/** Questions of each section that are asked of both sides after it, while nothing arrives. */
const comparedMax = 60;
/** The first two answers of Logmill may both be runs, the third is one that it keeps. */
const asksBefore = 2;

/** What one side did in all sections. */
interface Lived {
  readonly side: Side;
  readonly sent: SentEvents;
  readonly replayed: Replayed[];
  /** Processor time of each section, with and without questions, milliseconds. */
  readonly processorMs: { readonly together: number[]; readonly alone: number[] };
  memoryBytes: number;
}

/**
 * Replays a day of 60 dashboards over 200 projects in fast motion, while events arrive: in Logmill, and in PostgreSQL with the
 * perfect index behind a bare Fastify route without a cache. Both receive the same events and questions at the same times
 * of their sections, in turn. No answer may lack an event that was acknowledged before it was asked for, and after each
 * section, both must return the same rows.
 */
export async function measureDay(context: PartContext, prepared: PreparedEvents): Promise<readonly Figure[]> {
  return await withLoadedPostgres(context, prepared, 'the day of dashboards is', async (cluster, loader) => {
    await loader.query(perfectIndex);
    await loader.query('VACUUM (ANALYZE) events');
    const hour = new Date(presentMs - (presentMs % 3_600_000)).toISOString();
    const counts = await countsSince(loader, hour);
    await loader.end();
    const postgres = await PostgresSide.start(cluster);
    try {
      return await context.serving(context.copyOf(prepared), async (service) => {
        const lived = [logmillSide(service), postgres].map(
          (side): Lived => ({
            side,
            sent: new SentEvents(hour, counts),
            replayed: [],
            processorMs: { together: [], alone: [] },
            memoryBytes: 0,
          }),
        );
        await liveThrough(context, lived);
        const [logmill, compared] = lived;
        return logmill === undefined || compared === undefined
          ? []
          : figuresOf(prepared, logmill, compared, context.effort.day.seconds);
      });
    } finally {
      await postgres.stop();
    }
  });
}

/** Edge events by project since a time, ISO 8601. */
async function countsSince(client: pg.Client, time: string): Promise<ReadonlyMap<string, number>> {
  const { rows } = await client.query<[string, string]>({
    text: `SELECT body->>'project', count(*) FROM events WHERE stream = 'edge_logs' AND timestamp >= $1::timestamp GROUP BY 1`,
    values: [time],
    rowMode: 'array',
  });
  return new Map(rows.map(([project, count]) => [project, Number(count)]));
}

async function liveThrough(context: PartContext, lived: readonly Lived[]): Promise<void> {
  const { sections, seconds } = context.effort.day;
  let number = 0;
  let startMs = presentMs;
  const steps = (length: number, asked: boolean): readonly Step[] => {
    const made = sectionOf(number++, startMs, { seconds: length, asked });
    startMs += length * 1000;
    return made;
  };
  const warm = steps(Math.min(warmSeconds, seconds), true);
  for (const { side, sent } of lived) await replay(side, warm, sent);
  for (let section = 0; section < sections; section++) {
    context.say(`section ${section + 1} of ${sections}`);
    const order = section % 2 === 0 ? lived : lived.toReversed();
    await inTurn(order, 'alone', steps(seconds * aloneShare, false));
    const together = steps(seconds, true);
    await inTurn(order, 'together', together);
    await requireSame(lived, together, section);
  }
}

/** Processor time of both counts until both are done, so that no work in the background is left out. */
async function inTurn(lived: readonly Lived[], how: keyof Lived['processorMs'], steps: readonly Step[]): Promise<void> {
  const before = lived.map(({ side }) => side.processorMs());
  for (const each of lived) {
    const replayed = await replay(each.side, steps, each.sent);
    if (how === 'together') each.replayed.push(replayed);
    each.memoryBytes = Math.max(each.memoryBytes, each.side.memoryBytes());
  }
  for (const [n, { side, processorMs }] of lived.entries())
    processorMs[how].push(side.processorMs() - (before[n] ?? Number.NaN));
}

/** Asks both some questions of a section again. Throws unless they return the same rows. */
async function requireSame([logmill, postgres]: readonly Lived[], steps: readonly Step[], seed: number): Promise<void> {
  if (logmill === undefined || postgres === undefined) return;
  const random = new SeededRandom(`compared ${seed}`);
  const asked = steps.flatMap((step) => (step.kind === 'ask' ? [step.question] : []));
  const different = new Map(asked.map((question) => [JSON.stringify(question), question]));
  const some = [...different.values()].map((question) => [random.next(), question] as const);
  for (const [, question] of some.toSorted(([a], [b]) => a - b).slice(0, comparedMax)) {
    for (let n = 0; n < asksBefore; n++) await ask(logmill.side, question);
    const answers = [await ask(logmill.side, question), await ask(postgres.side, question)];
    const [rows = [], expected = []] = answers.map(({ body }) => ofAnswer(body));
    requireEqualRows(`${question.text} of ${question.project} since ${question.after}`, rows, expected);
  }
}

const kinds: readonly (readonly [Question['kind'], string])[] = [
  ['newest', 'newest 100'],
  ['day', 'chart of a day'],
  ['week', 'chart of a week'],
  ['sql', 'query in SQL, a day'],
  ['lql', 'query in LQL, a day'],
  ['search', 'search of a week'],
];

function figuresOf({ events }: PreparedEvents, logmill: Lived, postgres: Lived, seconds: number): readonly Figure[] {
  const common = { part, events } as const;
  const name = `${postgres.side.name}, perfect index`;
  const compared = (
    what: string,
    unit: Figure['unit'],
    of: (lived: Lived) => number,
    held?: 'dayProcessor' | 'dayP95',
  ) => {
    const [measured, value] = [of(logmill), of(postgres)];
    return figure({
      ...common,
      what,
      unit,
      measured,
      beside: { what: name, value },
      target: held === undefined ? null : target(held, measured, value),
    });
  };
  const times = (lived: Lived, wanted: readonly Question['kind'][]) =>
    lived.replayed.flatMap(({ askMs }) => wanted.flatMap((kind) => askMs[kind]));
  const all = kinds.map(([kind]) => kind);
  const answers = (lived: Lived) => times(lived, all).length;
  const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);
  /** Milliseconds of the whole day, of which the events alone take a part. */
  const ofAnswers = ({ processorMs }: Lived) => sum(processorMs.together) - sum(processorMs.alone) / aloneShare;
  const checked = sum(logmill.replayed.map((each) => each.checked));
  return [
    compared(
      'processor time of 1,000 answers, without that of the events',
      'ms',
      (lived) => (1000 * ofAnswers(lived)) / answers(lived),
      'dayProcessor',
    ),
    compared(
      'processor time of 1,000 answers and of the events that arrived meanwhile',
      'ms',
      (lived) => (1000 * sum(lived.processorMs.together)) / answers(lived),
    ),
    compared(
      'processor time of the events alone, a second',
      'ms',
      ({ processorMs }) => sum(processorMs.alone) / (processorMs.alone.length * seconds * aloneShare),
    ),
    compared('p50 of answers', 'ms', (lived) => median(times(lived, all))),
    compared('p95 of answers', 'ms', (lived) => percentile(times(lived, all), 0.95), 'dayP95'),
    compared('p99 of answers', 'ms', (lived) => percentile(times(lived, all), 0.99)),
    ...kinds.flatMap(([kind, what]) => [
      compared(`p50, ${what}`, 'ms', (lived) => median(times(lived, [kind]))),
      compared(`p95, ${what}`, 'ms', (lived) => percentile(times(lived, [kind]), 0.95)),
    ]),
    compared('p99 of acknowledgements', 'ms', ({ replayed }) =>
      percentile(
        replayed.flatMap((each) => each.acknowledgeMs),
        0.99,
      ),
    ),
    compared('time of a section', 'ms', ({ replayed }) => median(replayed.map(({ tookMs }) => tookMs))),
    compared('memory of all processes, peak', 'MB', ({ memoryBytes }) => memoryBytes / 1e6),
    figure({
      ...common,
      what: 'answers',
      unit: 'answers',
      measured: answers(logmill),
      further: {
        unchanged: sum(logmill.replayed.map((each) => each.unchanged)),
        'compared with the events sent': checked,
        'refused and asked again': sum(logmill.replayed.map((each) => each.refused)),
      },
    }),
  ];
}
