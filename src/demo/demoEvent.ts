import type { JsonObject } from '../core/jsonValue.ts';
import type { DemoProject } from './demoProject.ts';
import type { SeededRandom } from './seededRandom.ts';

/** An event as a shipper would send it (streams.md, "event"): `id`, `timestamp`, `event_message`, `project`, `metadata`. */
export interface DemoEvent {
  readonly source: string;
  readonly timestampMicros: number;
  readonly event: JsonObject;
}

/** What a story is told with: one project during one minute. */
export interface DemoScene {
  readonly project: DemoProject;
  readonly random: SeededRandom;
  /** Start of the minute. */
  readonly startMicros: number;
  /** Probability that a request fails. */
  readonly failureRate: number;
  /**
   * Adds an event. Time beyond the minute is its last microsecond, so that a minute's events are
   * known without its neighbours. The project is added where the stream carries it.
   */
  tell(source: string, timestampMicros: number, message: string, metadata: JsonObject | null): void;
}
