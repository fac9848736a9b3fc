import type { BoundsByScan, BoundsDecisions } from '../../../googlesql/plan/scanBounds.ts';

/** What a call has of its own, besides its moving times. */
export interface CallOfStatement {
  readonly bounds: BoundsByScan;
  /** What the calls of the redacting functions carry; null where events are read as they are. */
  readonly redactionTag: number | null;
}

/** Begins the mark of a slot. No literal is written with this character (sqlText.ts), and a cutoff's mark is not followed by digits (cutoffMark.ts). */
const slotMark = '\u0000';

/** A mark is as long as the microseconds of our days are: what is written hangs on how long its parts are (functions/sqlText.ts). */
const indexLength = 14;

const slotMarks = new RegExp(`${slotMark}(\\d{${indexLength}});`);

/**
 * What a statement's text holds of the times of one call, and what was decided by them while it was written. Whoever
 * writes sees neither these times nor the bounds of the scans: a statement holds for all calls in which the same is decided.
 */
export class Placeholders implements BoundsDecisions {
  readonly #call: CallOfStatement;
  readonly #at: <T>(work: () => T) => T;
  readonly #values: ((call: CallOfStatement) => bigint)[] = [];
  readonly #decisions: ((bounds: BoundsByScan) => boolean)[] = [];
  readonly #marks = new Map<object, string>();

  /** Of the call for which the statement is written first; `at` does what reads its times (QueryPlan). */
  constructor(call: CallOfStatement, at: <T>(work: () => T) => T) {
    this.#call = call;
    this.#at = at;
  }

  /** What stands in the text for the digits of a whole number that each call has of its own. */
  mark(value: (call: CallOfStatement) => bigint): string {
    this.#values.push(value);
    return `${slotMark}${String(this.#values.length - 1).padStart(indexLength, '0')};`;
  }

  /** One mark for one literal, however often it is written: what is said twice is written once, and known by its text. */
  markOf(literal: object, value: () => bigint): string {
    const mark = this.#marks.get(literal) ?? this.mark(value);
    this.#marks.set(literal, mark);
    return mark;
  }

  /** The answer for this call. The statement holds for those in which it is the same. */
  decide(question: (bounds: BoundsByScan) => boolean): boolean {
    const answer = this.#at(() => question(this.#call.bounds));
    this.#decisions.push((bounds) => question(bounds) === answer);
    return answer;
  }

  /** Whether a statement holds for the call whose times can be read now. */
  holds({ bounds }: CallOfStatement): boolean {
    return this.#decisions.every((isSame) => isSame(bounds));
  }

  /** What stands in the slots for the call whose times can be read now, in their order. */
  values(call: CallOfStatement): readonly bigint[] {
    return this.#values.map((value) => value(call));
  }
}

/** A text with slots, cut apart at them. */
export class TextWithPlaceholders {
  readonly #texts: readonly string[];
  readonly #slots: readonly number[];

  constructor(text: string) {
    const parts = text.split(slotMarks);
    this.#texts = parts.filter((_, i) => i % 2 === 0);
    this.#slots = parts.filter((_, i) => i % 2 === 1).map(Number);
  }

  /** @throws Error where a slot has no value. */
  filled(values: readonly bigint[]): string {
    let filled = this.#texts[0] ?? '';
    for (const [i, slot] of this.#slots.entries()) {
      const value = values[slot];
      if (value === undefined) throw new Error('a slot of a statement has no value');
      filled += `${value}${this.#texts[i + 1] ?? ''}`;
    }
    return filled;
  }
}
