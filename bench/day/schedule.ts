import { SeededRandom } from '../../src/demo/seededRandom.ts';
import { projectShares, projects } from '../projects.ts';
import { streams, syntheticEvent } from '../syntheticEvent.ts';
import { lqlTexts, type Question, searchTexts, sqlTexts } from './questions.ts';

/** How much faster than a real day the schedule is replayed. */
export const speed = 2;
const projectsMax = 200;
const dashboardCount = 60;
const eventsPerSecond = 500;
/** Mean seconds between two searches of all people together. */
const searchSeconds = 4;
const pollSecondsMin = 5;
const pollSecondsMax = 60;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** A panel, without the start of its window, which moves. */
type Panel = Pick<Question, 'kind' | 'text' | 'project'>;

interface Dashboard {
  readonly panels: readonly Panel[];
  readonly everyMs: number;
  readonly firstMs: number;
}

/** A request with events of one source. */
export interface Batch {
  readonly source: string;
  /** A JSON array of events. */
  readonly body: Buffer;
  /** By project: the id of its newest event in the batch, and how many it has. */
  readonly projects: ReadonlyMap<string, { readonly newestId: string; readonly count: number }>;
}

/** What happens at a time of a section, milliseconds from its start. */
export type Step = { readonly atMs: number } & (
  | { readonly kind: 'ask'; readonly question: Question }
  | { readonly kind: 'send'; readonly batch: Batch }
);

/**
 * A part of the day. The same number and seed always make the same section, with events and questions of the time from
 * `startMs` on, milliseconds since 1970. `asked`: whether there are questions, or only events.
 */
export function sectionOf(
  number: number,
  startMs: number,
  { seconds, asked }: { readonly seconds: number; readonly asked: boolean },
): readonly Step[] {
  const endMs = seconds * 1000;
  const random = new SeededRandom(`day ${number}`);
  const steps: Step[] = [...batchesOf(random, startMs, endMs)];
  if (asked) {
    for (const dashboard of dashboards()) steps.push(...pollsOf(dashboard, random, startMs, endMs));
    steps.push(...searchesOf(random, startMs, endMs));
  }
  return steps.toSorted((a, b) => a.atMs - b.atMs);
}

/** Every dashboard of the day; the same in each section. */
function dashboards(): readonly Dashboard[] {
  const random = new SeededRandom('dashboards');
  return Array.from({ length: dashboardCount }, () => {
    const project = pickWatched(random);
    const panel = (kind: Question['kind'], text: string): Panel => ({ kind, text, project });
    const everyMs = (random.integer(pollSecondsMin, pollSecondsMax) * 1000) / speed;
    return {
      panels: [
        panel('newest', 'newest'),
        panel('day', 'error-rate'),
        panel('week', random.pick(['error-rate', 'p95-by-hour'])),
        panel('sql', random.pick(sqlTexts)),
        panel('lql', random.pick(lqlTexts)),
      ],
      everyMs,
      firstMs: random.next() * everyMs,
    };
  });
}

/** A dashboard asks for all its panels at once, like a page that refreshes. */
function pollsOf(
  { panels, everyMs, firstMs }: Dashboard,
  random: SeededRandom,
  startMs: number,
  endMs: number,
): readonly Step[] {
  const steps: Step[] = [];
  for (let atMs = firstMs; atMs < endMs; atMs += everyMs * (0.98 + 0.04 * random.next())) {
    for (const panel of panels) {
      const question = { ...panel, after: windowStart(panel.kind, startMs + atMs), search: null };
      steps.push({ atMs, kind: 'ask', question });
    }
  }
  return steps;
}

function searchesOf(random: SeededRandom, startMs: number, endMs: number): readonly Step[] {
  const steps: Step[] = [];
  const meanMs = (searchSeconds * 1000) / speed;
  for (let atMs = random.next() * meanMs; atMs < endMs; atMs += 2 * random.next() * meanMs) {
    const search = `198.51.${random.integer(0, 255)}.${random.integer(1, 254)} `;
    const kind = 'search' as const;
    const question = { kind, text: random.pick(searchTexts), project: pickWatched(random) };
    steps.push({ atMs, kind: 'ask', question: { ...question, after: windowStart(kind, startMs + atMs), search } });
  }
  return steps;
}

/** Windows begin with a whole minute or hour, so that the first bucket of a chart is whole. */
function windowStart(kind: Question['kind'], nowMs: number): string | null {
  if (kind === 'newest') return null;
  const isLong = kind === 'week' || kind === 'search';
  const startMs = nowMs - (isLong ? 7 : 1) * dayMs;
  return new Date(startMs - (startMs % (isLong ? hourMs : minuteMs))).toISOString();
}

/** Each source sends its share once a second of the day. An event is at most that much older than its batch. */
function batchesOf(random: SeededRandom, startMs: number, endMs: number): readonly Step[] {
  const steps: Step[] = [];
  const everyMs = 1000 / speed;
  const shares = streams.reduce((sum, [, share]) => sum + share, 0);
  for (const [n, [source, share, maker]] of streams.entries()) {
    for (let atMs = ((n + 1) / streams.length) * everyMs; atMs < endMs; atMs += everyMs) {
      const count = random.arrivals((eventsPerSecond * share) / shares);
      if (count === 0) continue;
      const times = Array.from({ length: count }, () => random.integer(0, everyMs * 1000 - 1)).toSorted(
        (a, b) => a - b,
      );
      const events: string[] = [];
      const byProject = new Map<string, { newestId: string; count: number }>();
      for (const micros of times) {
        const project = pickWatched(random);
        const event = syntheticEvent(maker, random, project, Math.round((startMs + atMs - everyMs) * 1000) + micros);
        events.push(event);
        const newestId = event.slice('{"id":"'.length, event.indexOf('",'));
        byProject.set(project, { newestId, count: (byProject.get(project)?.count ?? 0) + 1 });
      }
      steps.push({
        atMs,
        kind: 'send',
        batch: { source, body: Buffer.from(`[${events.join(',')}]`), projects: byProject },
      });
    }
  }
  return steps;
}

/** One of the first projects, after Zipf's law. */
function pickWatched(random: SeededRandom): string {
  const at = random.next() * (projectShares[projectsMax - 1] ?? 1);
  const rank = projectShares.findIndex((share) => share >= at);
  return projects[rank] ?? '';
}
