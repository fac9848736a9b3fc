import type { CallArgument, Expr, LiteralExpr } from '../resolve/tree.ts';
import type { SqlType } from '../types.ts';

/** The values of a plan's late-bound times in one call, by index, in the form of literals of their types. */
export type TimesOfCall = readonly bigint[];

/** A late-bound time was read where no call is known; the decision would be valid for one call only. */
export class UnknownTimeError extends Error {
  constructor() {
    super('the value of a late-bound time was read where it is unknown');
  }
}

/** A literal of which the planner knows only the type: each call provides its value. */
interface LateBoundLiteral extends LiteralExpr {
  readonly times: LateBoundTimes;
}

export const isLateBound = (operand: CallArgument): operand is LateBoundLiteral =>
  operand.kind === 'literal' && 'times' in operand;

/**
 * The times of a plan that change from call to call: parameters and the clock. A plan made without reading them serves
 * every call; a plan that read some serves the calls with the same results.
 *
 * The values can be read only through this class. Any other read fails with `UnknownTimeError`, and the query is then
 * planned for each call, so code that does not know late-bound times cannot go wrong.
 */
export class LateBoundTimes {
  readonly #made: TimesOfCall;
  readonly #decisions: ((known: TimesOfCall) => boolean)[] = [];
  /** Computes times from earlier ones. */
  readonly #derivations: (() => bigint | null)[] = [];
  /**
   * Computed values of a call, in the order of the derivations. A time is read several times if others depend on it;
   * each is computed once, after its inputs, so that long chains need no stack.
   */
  readonly #derived = new WeakMap<TimesOfCall, (bigint | null)[]>();
  readonly #literals = new Map<string, LiteralExpr>();
  #known: TimesOfCall | null = null;

  /** `made` are the values of the call that the plan is made for. */
  constructor(made: TimesOfCall) {
    this.#made = made;
  }

  /** Returns one literal for each time, however often it is mentioned. */
  literal(type: SqlType, index: number): LiteralExpr {
    const key = `${index} ${type.kind}`;
    const literal = this.#literals.get(key) ?? this.#literal(type, (known) => known[index] ?? null);
    this.#literals.set(key, literal);
    return literal;
  }

  /** Runs work that reads the values of one call. */
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
   * Folds an expression over late-bound times, for all calls in which `fold` has the same result: the unchanged
   * expression, one of its operands, a constant, or a whole number or time that is computed for each call.
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

  /** Whether all decisions made for the plan are the same in a call. */
  holds(times: TimesOfCall): boolean {
    return this.at(times, () => this.#decisions.every((isSame) => isSame(times)));
  }

  /** The value of a computed time in a call; null if it has none there, or is something else. */
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
    // A separate property, so that a copy reads it as well.
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

/** The late-bound times of the operands or of their INTERVALs; null if there are none. */
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
