import type { CallArgument, CallExpr } from '../../../googlesql/resolve/tree.ts';
import { dayMicros, intervalLength } from '../functions/intervals.ts';
import { grownElementsMax } from '../functions/sqlFragments.ts';
import type { Placeholders } from './placeholders.ts';

/**
 * Whether a GENERATE_…_ARRAY has constant arguments and is known not to fail: its step is not zero, and it has not too
 * many elements.
 */
export function isConstantSeries({ fn, args }: CallExpr, slots: Placeholders): boolean {
  const unit = units[fn];
  return unit !== undefined && slots.decide(() => isShort(unit, args));
}

function isShort(unit: Unit, [from, to, by]: readonly CallArgument[]): boolean {
  const first = wholeOf(from);
  const last = wholeOf(to);
  if (first === undefined || last === undefined) return false;
  const step = by === undefined ? unit.defaultStep : (wholeOf(by) ?? lengthOf(by));
  if (step === undefined || step === 0n) return false;
  return ((last - first) * unit.size) / step < BigInt(grownElementsMax);
}

/** The size of one unit in a literal of the function's type, and the default step, both counted in steps. */
interface Unit {
  readonly size: bigint;
  readonly defaultStep?: bigint;
}

const units: Readonly<Record<string, Unit>> = {
  generate_array: { size: 1n, defaultStep: 1n },
  generate_date_array: { size: dayMicros, defaultStep: dayMicros },
  generate_timestamp_array: { size: 1n },
};

const wholeOf = (arg: CallArgument | undefined): bigint | undefined =>
  arg?.kind === 'literal' && typeof arg.value === 'bigint' ? arg.value : undefined;

/** Microseconds of a constant INTERVAL of fixed length. */
function lengthOf(arg: CallArgument): bigint | undefined {
  const [count, part] = arg.kind === 'call' && arg.fn === '$interval' ? arg.args : [];
  const whole = wholeOf(count);
  return whole === undefined || part?.kind !== 'part' ? undefined : intervalLength(whole, part.part);
}
