import type { BoundsByScan, BoundsDecisions } from '../../../googlesql/plan/scanBounds.ts';

/** Values that differ between calls, except late-bound times. */
export interface CallOfStatement {
  readonly bounds: BoundsByScan;
  /** Argument of the redacting functions in this call; null if events are read unredacted. */
  readonly redactionTag: number | null;
}

/**
 * First character of a placeholder. Literals never contain it (sqlText.ts), and digits never follow it in the mark of a
 * cutoff (cutoffMark.ts).
 */
const slotMark = '\u0000';

/**
 * A placeholder is as long as the microseconds of a present-day time, because the text depends on the length of its
 * parts (functions/sqlFragments.ts).
 */
const indexLength = 14;

const slotMarks = new RegExp(`${slotMark}(\\d{${indexLength}});`);

/**
 * Placeholders in a statement's text for the times of a call, and the decisions that depended on them while the text
 * was written. The writers see neither these times nor the bounds of the scans, so a statement serves every call with
 * the same decisions.
 */
export class Placeholders implements BoundsDecisions {
  readonly #call: CallOfStatement;
  readonly #at: <T>(work: () => T) => T;
  readonly #values: ((call: CallOfStatement) => bigint)[] = [];
  readonly #decisions: ((bounds: BoundsByScan) => boolean)[] = [];
  readonly #marks = new Map<object, string>();

  /** `call` is the first call that the statement is written for; `at` runs work that reads its times (QueryPlan). */
  constructor(call: CallOfStatement, at: <T>(work: () => T) => T) {
    this.#call = call;
    this.#at = at;
  }

  /** Adds a placeholder for the digits of a whole number that differs between calls. */
  mark(value: (call: CallOfStatement) => bigint): string {
    this.#values.push(value);
    return `${slotMark}${String(this.#values.length - 1).padStart(indexLength, '0')};`;
  }

  /** One placeholder per literal, however often it is written, so that repeated expressions have equal texts. */
  markOf(literal: object, value: () => bigint): string {
    const mark = this.#marks.get(literal) ?? this.mark(value);
    this.#marks.set(literal, mark);
    return mark;
  }

  /** Returns the answer for this call. The statement serves only calls with the same answer. */
  decide(question: (bounds: BoundsByScan) => boolean): boolean {
    const answer = this.#at(() => question(this.#call.bounds));
    this.#decisions.push((bounds) => question(bounds) === answer);
    return answer;
  }

  /** Whether the statement serves the call whose times can be read now. */
  holds({ bounds }: CallOfStatement): boolean {
    return this.#decisions.every((isSame) => isSame(bounds));
  }

  /** The values of the placeholders for the call whose times can be read now, in order. */
  values(call: CallOfStatement): readonly bigint[] {
    return this.#values.map((value) => value(call));
  }
}

/** A text that is split at its placeholders. */
export class TextWithPlaceholders {
  readonly #texts: readonly string[];
  readonly #slots: readonly number[];

  constructor(text: string) {
    const parts = text.split(slotMarks);
    this.#texts = parts.filter((_, i) => i % 2 === 0);
    this.#slots = parts.filter((_, i) => i % 2 === 1).map(Number);
  }

  /** @throws Error if a placeholder has no value */
  filled(values: readonly bigint[]): string {
    let filled = this.#texts[0] ?? '';
    for (const [i, slot] of this.#slots.entries()) {
      const value = values[slot];
      if (value === undefined) throw new Error('a placeholder of a statement has no value');
      filled += `${value}${this.#texts[i + 1] ?? ''}`;
    }
    return filled;
  }
}
