import type { CallArgument, Expr, LiteralExpr } from '../resolve/tree.ts';
import type { SqlType } from '../types.ts';

/** The values of a plan's moving times in one call, by index; each as a literal of its type has it. */
export type TimesOfCall = readonly bigint[];

/** A moving time was read where no call is known: what was to be decided would hold for one call only. */
export class UnknownTimeError extends Error {
  constructor() {
    super('the value of a moving time was read where it is not known');
  }
}

/** A literal of which only the type is known to whoever makes the plan: its value comes with each call. */
interface LateBoundLiteral extends LiteralExpr {
  readonly times: LateBoundTimes;
}

export const isLateBound = (operand: CallArgument): operand is LateBoundLiteral =>
  operand.kind === 'literal' && 'times' in operand;

/**
 * The times that a plan is made with and that move from call to call: parameters and the clock. A plan that was made without
 * reading them holds for any; one that read some holds for those calls in which the same was read.
 *
 * The value of such a literal is not there unless it is asked for through here: any other reading fails with
 * `UnknownTimeError`, and the query is then planned for each call. So that nothing that knows of no moving times can be wrong
 * about them.
 */
export class LateBoundTimes {
  readonly #made: TimesOfCall;
  readonly #decisions: ((known: TimesOfCall) => boolean)[] = [];
  /** What computes times of others that stand before them. */
  readonly #derivations: (() => bigint | null)[] = [];
  /**
   * What was computed for a call, in the order of the derivations. A time is read several times wherever others are computed of
   * it: each is computed once, and after those that it is computed of, so that no chain of them takes a stack.
   */
  readonly #derived = new WeakMap<TimesOfCall, (bigint | null)[]>();
  readonly #literals = new Map<string, LiteralExpr>();
  #known: TimesOfCall | null = null;

  /** `made` are the values of the call that the plan is made for. */
  constructor(made: TimesOfCall) {
    this.#made = made;
  }

  /** One for each of them, wherever it is mentioned. */
  literal(type: SqlType, index: number): LiteralExpr {
    const key = `${index} ${type.kind}`;
    const literal = this.#literals.get(key) ?? this.#literal(type, (known) => known[index] ?? null);
    this.#literals.set(key, literal);
    return literal;
  }

  /** Does what reads the values, which are those of one call. */
  at<T>(times: TimesOfCall, work: () => T): T {
    const before = this.#known;
    this.#known = times;
    try {
      return work();
    } finally {
      this.#known = before;
    }
  }

  /**
   * What `fold` makes of an expression over moving times, for all calls in which it makes the same of it: the expression as it
   * is, one of its operands, a constant, or a whole number or time that is computed for each call.
   */
  fold(expr: Expr, fold: () => Expr): Expr {
    const folded = this.at(this.#made, fold);
    if (folded === expr || folded.kind !== 'literal' || isLateBound(folded)) {
      this.#decisions.push(() => fold() === folded);
      return folded;
    }
    const { type, value } = folded;
    const again = (): LiteralExpr | null => {
      const made = fold();
      return made.kind === 'literal' && made.type.kind === type.kind ? made : null;
    };
    if (typeof value !== 'bigint') {
      this.#decisions.push(() => again()?.value === value);
      return folded;
    }
    const index = this.#derivations.length;
    this.#derivations.push(() => {
      const made = again()?.value;
      return typeof made === 'bigint' ? made : null;
    });
    this.#decisions.push((known) => this.#derivedOf(known, index) !== null);
    return this.#literal(type, (known) => this.#derivedOf(known, index));
  }

  /** Whether all that was decided while the plan was made is decided alike in a call. */
  holds(times: TimesOfCall): boolean {
    return this.at(times, () => this.#decisions.every((isSame) => isSame(times)));
  }

  /** What a computed time is in a call; null where it is nothing, or something else, there. */
  #derivedOf(known: TimesOfCall, index: number): bigint | null {
    const values = this.#derived.get(known) ?? [];
    this.#derived.set(known, values);
    for (const derivation of this.#derivations.slice(values.length, index + 1)) values.push(this.at(known, derivation));
    return values[index] ?? null;
  }

  #literal(type: SqlType, value: (known: TimesOfCall) => bigint | null): LateBoundLiteral {
    const read = (): bigint => {
      const found = this.#known === null ? null : value(this.#known);
      if (found === null) throw new UnknownTimeError();
      return found;
    };
    // A property of its own, so that a copy reads it as well.
    return {
      kind: 'literal',
      type,
      times: this,
      get value() {
        return read();
      },
    };
  }
}

/** The moving times that one of the operands is, or that its INTERVAL is of; null where none is. */
export function timesAmong(operands: readonly CallArgument[]): LateBoundTimes | null {
  for (const operand of operands) {
    if (isLateBound(operand)) return operand.times;
    if (operand.kind === 'call' && operand.fn === '$interval') {
      const inside = timesAmong(operand.args);
      if (inside !== null) return inside;
    }
  }
  return null;
}
