import type { JsonObject } from '../core/jsonValue.ts';
import { authStory } from './authStory.ts';
import { backgroundStory } from './backgroundStory.ts';
import type { DemoEvent, DemoScene } from './demoEvent.ts';
import { type DemoProject, demoProject } from './demoProject.ts';
import { functionStory } from './functionStory.ts';
import { realtimeReport, realtimeStory } from './realtimeStory.ts';
import { restStory } from './restStory.ts';
import { busyness, failureRate, minuteMicros } from './rhythm.ts';
import { SeededRandom } from './seededRandom.ts';
import { storageStory } from './storageStory.ts';

/** The two projects of the sample data; the first is the busier one. */
export const demoProjects: readonly [string, string] = ['orchardlanternquartz', 'cobblestonemarigolds'];

/** Calls and background lines in an average minute; each later project has half as many as the one before. */
const callsPerMinute = 23;
const backgroundPerMinute = 5;

/**
 * Streams that carry the project inside metadata (streams.md, "Matching field of the project"). All others carry it at
 * the top level.
 */
const projectMember: Readonly<Record<string, string>> = {
  function_edge_logs: 'project_ref',
  function_logs: 'project_ref',
  realtime_logs: 'project',
  storage_logs: 'project',
};

const stories = [
  [restStory, 48],
  [authStory, 14],
  [storageStory, 13],
  [realtimeStory, 7],
  [functionStory, 18],
] as const;

/**
 * Generates the events of some projects from `fromMicros` (inclusive) to `toMicros` (exclusive), in order of time. An
 * event depends only on its project and its minute, so an interval always has the same events, however it is split.
 */
export function* generate(projects: readonly string[], fromMicros: number, toMicros: number): Generator<DemoEvent> {
  const cast = projects.map(demoProject);
  const firstMinute = Math.floor(fromMicros / minuteMicros);
  for (let minute = firstMinute; minute * minuteMicros < toMicros; minute++) {
    const events = cast.flatMap((project, rank) => minuteOf(project, minute, 0.5 ** rank));
    events.sort((a, b) => a.timestampMicros - b.timestampMicros);
    for (const event of events) {
      if (event.timestampMicros >= fromMicros && event.timestampMicros < toMicros) yield event;
    }
  }
}

function minuteOf(project: DemoProject, minute: number, weight: number): readonly DemoEvent[] {
  const random = new SeededRandom(`minute/${project.ref}/${minute}`);
  const startMicros = minute * minuteMicros;
  const events: DemoEvent[] = [];
  const scene: DemoScene = {
    project,
    random,
    startMicros,
    failureRate: failureRate(project.ref, minute),
    tell: (source, wantedMicros, message, metadata) => {
      const timestampMicros = Math.min(wantedMicros, startMicros + minuteMicros - 1);
      const event = asSent(project.ref, source, random.uuid(timestampMicros), timestampMicros, message, metadata);
      events.push({ source, timestampMicros, event });
    },
  };
  const moment = () => startMicros + random.integer(0, minuteMicros - 1);
  const calls = random.arrivals(callsPerMinute * weight * busyness(project.ref, minute));
  for (let call = 0; call < calls; call++) random.weighted(stories)(scene, moment(), random.pick(project.users));
  const lines = random.arrivals(backgroundPerMinute * weight);
  for (let line = 0; line < lines; line++) backgroundStory(scene, moment());
  if (minute % 5 === 0) realtimeReport(scene, startMicros + 1_640_000);
  return events;
}

function asSent(
  ref: string,
  source: string,
  id: string,
  timestamp: number,
  message: string,
  metadata: JsonObject | null,
): JsonObject {
  const member = projectMember[source];
  if (member !== undefined) return { id, timestamp, event_message: message, metadata: { [member]: ref, ...metadata } };
  const top = { id, timestamp, event_message: message, project: ref };
  return metadata === null ? top : { ...top, metadata };
}
