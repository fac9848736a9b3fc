import type { JsonObject } from '../core/jsonValue.ts';
import type { DemoProject } from './demoProject.ts';
import type { SeededRandom } from './seededRandom.ts';

/** An event as a shipper would send it (streams.md, "event"): `id`, `timestamp`, `event_message`, `project`, `metadata`. */
export interface DemoEvent {
  readonly source: string;
  readonly timestampMicros: number;
  readonly event: JsonObject;
}

/** One project during one minute, for which a story adds events. */
export interface DemoScene {
  readonly project: DemoProject;
  readonly random: SeededRandom;
  /** Start of the minute. */
  readonly startMicros: number;
  /** Probability that a request fails. */
  readonly failureRate: number;
  /**
   * Adds an event. A time after the minute becomes its last microsecond, so that the events of a minute do not depend
   * on its neighbours. Adds the project in the field where the stream carries it.
   */
  tell(source: string, timestampMicros: number, message: string, metadata: JsonObject | null): void;
}
