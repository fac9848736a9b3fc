import type { Clock } from '../core/clock.ts';
import { Pause, type Turns } from '../core/concurrency/turns.ts';
import { isCut, isJsonArray, isJsonObject, type JsonValue, memberNames, memberOf } from '../core/jsonValue.ts';
import { writeJson } from '../core/writeJson.ts';
import type { Redactor } from '../redact/createRedactor.ts';
import { RedactionCounts } from '../redact/redactionCounts.ts';
import { withoutCutTexts } from './quoteValue.ts';
import type { RejectedEvent, RejectionCode } from './rejection.ts';

/** Events of one source that were rejected for the same reason. */
export interface RejectedGroup {
  readonly code: RejectionCode;
  readonly count: number;
  readonly lastMicros: number;
  /** What the sender of a recent one was told, redacted. */
  readonly message: string;
  /** The JSON text of that one, redacted; null if it is long, or is no JSON. */
  readonly event: string | null;
}

interface Group {
  readonly code: RejectionCode;
  readonly count: number;
  readonly lastMicros: number;
  readonly sample: Sample;
  readonly sampledMicros: number;
}

/** The event as it was sent, and the message of the rejection. Not redacted yet. */
type Sample = Pick<RejectedGroup, 'message' | 'event'>;

/** A group gets another sample only if the one before is older. */
const sampleMicros = 1_000_000;
/** Characters of the text of a sample. */
const sampleCharsMax = 4096;

/**
 * Counts rejected events by source and reason, and keeps a recent one of each. Memory is bounded by the sources, which
 * callers cannot name. `of` redacts the events, as wholes, because redacting them at their arrival would delay ingestion.
 */
export class RejectedEvents {
  readonly #redactor: Redactor;
  readonly #clock: Clock;
  readonly #bySource = new Map<string, Map<RejectionCode, Group>>();

  constructor(services: { readonly redactor: Redactor; readonly clock: Clock }) {
    this.#redactor = services.redactor;
    this.#clock = services.clock;
  }

  /** `event` is what was sent; undefined if it is no JSON. */
  add(source: string, { code, message }: RejectedEvent, event: JsonValue | undefined): void {
    const groups = this.#bySource.get(source) ?? new Map<RejectionCode, Group>();
    this.#bySource.set(source, groups);
    const before = groups.get(code);
    const lastMicros = this.#clock.nowMicros();
    const count = (before?.count ?? 0) + 1;
    if (before !== undefined && lastMicros - before.sampledMicros < sampleMicros) {
      groups.set(code, { ...before, count, lastMicros });
      return;
    }
    const text = event !== undefined && charsLeft(event, sampleCharsMax) >= 0 ? writeJson(event) : null;
    const sample = { message: withoutCutTexts(message), event: text };
    groups.set(code, { code, count, lastMicros, sample, sampledMicros: lastMicros });
  }

  /** The groups of a source, the largest first. Redacts in turns: those of whoever asks. */
  async of(source: string, turns: Turns): Promise<readonly RejectedGroup[]> {
    const groups = [...(this.#bySource.get(source)?.values() ?? [])].sort((a, b) => b.count - a.count);
    const pause = new Pause(turns);
    const shown: RejectedGroup[] = [];
    for (const { code, count, lastMicros, sample } of groups) {
      await pause.takeIfOver();
      const event = sample.event === null ? null : this.#shown(sample.event);
      shown.push({ code, count, lastMicros, message: this.#shown(sample.message), event });
    }
    return shown;
  }

  #shown(text: string): string {
    return this.#redactor.redactGiven(text, new RedactionCounts());
  }
}

/**
 * How much of a length is left behind a value as JSON text, about; negative if it is longer, or cannot be written. Reads no
 * more than that.
 */
function charsLeft(value: JsonValue, charsMax: number): number {
  let left = charsMax - 2;
  if (typeof value === 'string') return left - value.length;
  // Such as 1e999, which JSON cannot express.
  if (typeof value === 'number' && !Number.isFinite(value)) return -1;
  if (typeof value === 'object' && value !== null && isCut(value)) return -1;
  if (isJsonObject(value)) {
    for (const name of memberNames(value)) {
      if (left < 0) break;
      left = charsLeft(memberOf(value, name) ?? null, left - name.length - 4);
    }
  } else if (isJsonArray(value)) {
    for (const each of value) {
      if (left < 0) break;
      left = charsLeft(each, left - 1);
    }
  } else left -= String(value).length;
  return left;
}
