import type { Question } from './questions.ts';
import type { Batch } from './schedule.ts';

/** The events of a project that were sent to one side, batch by batch. */
interface SentOfProject {
  /** Newest id of each batch, in the order of their times. */
  readonly newestIds: string[];
  /** The place of the newest acknowledged batch among them, from 1; 0 if there is none. */
  acknowledgedBatches: number;
  sentCount: number;
  acknowledgedCount: number;
}

/** What an answer must show, as known when it was asked for. */
export interface Known {
  /** What an answer lacks; null if it shows every event that was acknowledged before it was asked for. */
  lackOf(body: Buffer): string | null;
}

const watched = 'edge_logs';
const hourOf = (iso: string) => iso.slice(0, 13);

/**
 * The edge events that were sent to one side, to prove that no answer is older than the events acknowledged before it was
 * asked for: the newest rows must contain the newest of these events or a later one, and the last hour of a chart must
 * count all of these events and none that was not sent.
 */
export class SentEvents {
  readonly #byProject = new Map<string, SentOfProject>();
  readonly #hour: string;
  readonly #countsBefore: ReadonlyMap<string, number>;

  /** `countsBefore`: edge events by project that were stored before, in the hour that begins at `hour`, ISO 8601. */
  constructor(hour: string, countsBefore: ReadonlyMap<string, number>) {
    this.#hour = hourOf(hour);
    this.#countsBefore = countsBefore;
  }

  willSend({ source, projects }: Batch): void {
    if (source !== watched) return;
    for (const [project, { newestId, count }] of projects) {
      const known = this.#of(project);
      known.newestIds.push(newestId);
      known.sentCount += count;
    }
  }

  acknowledged({ source, projects }: Batch): void {
    if (source !== watched) return;
    for (const [project, { newestId, count }] of projects) {
      const known = this.#of(project);
      known.acknowledgedBatches = Math.max(known.acknowledgedBatches, known.newestIds.indexOf(newestId) + 1);
      known.acknowledgedCount += count;
    }
  }

  /** What the answer to a question must show from now on; null if that is not known. */
  knownOf({ kind, project }: Question): Known | null {
    const known = this.#of(project);
    if (kind === 'newest') {
      const { acknowledgedBatches } = known;
      if (acknowledgedBatches === 0) return null;
      return {
        lackOf: (body) => {
          const ids = known.newestIds.slice(acknowledgedBatches - 1);
          return ids.some((id) => body.includes(id)) ? null : `it lacks the event ${ids[0]} and all later ones`;
        },
      };
    }
    if (kind !== 'day') return null;
    const before = this.#countsBefore.get(project) ?? 0;
    const atLeast = before + known.acknowledgedCount;
    return {
      lackOf: (body) => {
        const { result } = JSON.parse(body.toString('utf8')) as { result: { hour: string; events: number }[] };
        const counted = result.find(({ hour }) => hourOf(hour) === this.#hour)?.events ?? 0;
        const atMost = before + known.sentCount;
        return counted >= atLeast && counted <= atMost
          ? null
          : `it counts ${counted} events in the last hour, not ${atLeast} to ${atMost}`;
      },
    };
  }

  #of(project: string): SentOfProject {
    const known = this.#byProject.get(project);
    if (known !== undefined) return known;
    const made = { newestIds: [], acknowledgedBatches: 0, sentCount: 0, acknowledgedCount: 0 };
    this.#byProject.set(project, made);
    return made;
  }
}
