import { setTimeout as delay } from 'node:timers/promises';
import { callService } from './readStore.ts';

export const eventsPerBatch = 50;
export const walkProjects = ['walk-a', 'walk-b', 'walk-c'] as const;
export type WalkProject = (typeof walkProjects)[number];
/** Days that batches can be old. No bound of a removal is near any of them, so that time does not move one past it. */
export const walkAges = [0, 2, 6, 12] as const;

const pageRows = 1000;
const dayMs = 86_400_000;

/** `either`: the answer to the change was lost in a kill. */
export type State = 'stored' | 'deleted' | 'either';

/** What a backup may hold: its state lies between the two moments. */
export interface Span {
  readonly before: ReadonlyMap<string, State>;
  readonly after: ReadonlyMap<string, State>;
}

/** What a project shows of a batch. */
export interface FoundBatch {
  readonly batch: string;
  readonly project: WalkProject;
  readonly events: number;
  /** Number of different messages. */
  readonly messages: number;
  /** Sum of the numbers of its events. */
  readonly numbers: number;
}

/** Names a batch so that its project and age can be read from the name. */
export const batchName = (project: WalkProject, ageDays: number, number: number): string =>
  `${project}/${ageDays}d-${number}`;

export const projectOf = (batch: string): string => batch.slice(0, batch.indexOf('/'));
export const ageDaysOf = (batch: string): number => Number(/\/(\d+)d-/.exec(batch)?.[1]);

/** The events of a batch that is as old as its name says. `nowMs`: milliseconds since 1970. */
export function eventsOf(batch: string, nowMs: number): readonly object[] {
  const micros = (nowMs - ageDaysOf(batch) * dayMs) * 1000;
  return Array.from({ length: eventsPerBatch }, (_, n) => ({
    event_message: `${batch}/${n}`,
    project: projectOf(batch),
    timestamp: micros + n,
  }));
}

/** All batches that the projects show. */
export async function shownBatches(url: string, admin: string): Promise<readonly FoundBatch[]> {
  const all: FoundBatch[] = [];
  for (const project of walkProjects) {
    for (let last = ''; ; ) {
      const sql = `select regexp_extract(event_message, r'^(.*)/') as batch, count(*) as events, count(distinct event_message) as messages,
        sum(cast(regexp_extract(event_message, r'/(\\d+)$') as int64)) as numbers
        from edge_logs where regexp_extract(event_message, r'^(.*)/') > '${last}' group by batch order by batch limit ${pageRows}`;
      const path = `/api/endpoints/query/logs.all?${new URLSearchParams({ project, sql })}`;
      const { status, body } = await callService(url, admin, 'GET', path);
      // The engine is being started again.
      if (status === 503) {
        await delay(20);
        continue;
      }
      if (status !== 200) throw new Error(`a query was answered with ${status}: ${JSON.stringify(body)}`);
      const page = body.result as unknown as readonly Omit<FoundBatch, 'project'>[];
      all.push(...page.map((found) => ({ ...found, project })));
      if (page.length < pageRows) break;
      last = page.at(-1)?.batch ?? '';
    }
  }
  return all;
}

const sumOfNumbers = (eventsPerBatch * (eventsPerBatch - 1)) / 2;

/** Everything about the shown batches that contradicts the known states, one sentence each. */
export function differences(shown: readonly FoundBatch[], { before, after }: Span): readonly string[] {
  const names = new Set(shown.map(({ batch }) => batch));
  return [
    ...[...before].flatMap(([name, state]) => {
      const isThere = names.has(name);
      if (state === 'stored' && after.get(name) === 'stored' && !isThere) return [`batch ${name} is lost`];
      return state === 'deleted' && isThere ? [`batch ${name} was deleted and is there again`] : [];
    }),
    ...shown.flatMap(({ batch, project, events, messages, numbers }) => {
      if (projectOf(batch) !== project) return [`batch ${batch} is shown to ${project}`];
      if (!after.has(batch)) return [`batch ${batch} was never sent`];
      if (events > messages) return [`batch ${batch} has ${events - messages} events twice`];
      if (events !== eventsPerBatch) return [`batch ${batch} has ${events} of ${eventsPerBatch} events`];
      return numbers === sumOfNumbers ? [] : [`batch ${batch} has other events than were sent`];
    }),
  ];
}
