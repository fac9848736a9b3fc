import { rounded } from '../percentile.ts';
import { eventsText, type Figure, ratioOf, withUnit } from './figure.ts';
import { type TargetName, targets } from './targets.ts';

export interface Verdict {
  readonly name: TargetName;
  readonly what: string;
  readonly bound: string;
  /** Number of figures with this target; `met` says how many meet it. */
  readonly figures: number;
  readonly met: number;
  /** Median and worst figure as text; empty if there are no figures. */
  readonly measured: string;
}

/** Every target with its figures. A target without figures was not measured, which is not the same as missed. */
export function verdicts(figures: readonly Figure[]): readonly Verdict[] {
  return (Object.keys(targets) as TargetName[]).map((name) => {
    const held = figures.filter((each) => each.target?.name === name);
    const met = held.filter((each) => each.target?.isMet === true).length;
    const { what, bound } = targets[name];
    return { name, what, bound: bound.text, figures: held.length, met, measured: measuredText(held) };
  });
}

/** The only figure, or the median and the worst of several, as text. */
function measuredText(held: readonly Figure[]): string {
  const [first] = held;
  if (first === undefined) return '';
  if (held.length === 1) return oneText(first);
  const isRatio = held.every((each) => each.beside !== null);
  const decisiveValue = (each: Figure) => (isRatio ? (ratioOf(each) ?? Number.NaN) : each.measured);
  const isMoreBetter = first.target?.bound.startsWith('≥') === true;
  const sorted = held.toSorted((a, b) =>
    isMoreBetter ? decisiveValue(b) - decisiveValue(a) : decisiveValue(a) - decisiveValue(b),
  );
  const worst = sorted.at(-1) ?? first;
  const middle = sorted[Math.ceil(sorted.length / 2) - 1] ?? first;
  const text = (each: Figure) => (isRatio ? `${rounded(decisiveValue(each))}×` : withUnit(each.measured, each.unit));
  const where = worst.events === null ? worst.what : `${worst.what}, ${eventsText(worst.events)}`;
  return `median ${text(middle)}, worst ${text(worst)} (${where})`;
}

function oneText(only: Figure): string {
  const ratio = ratioOf(only);
  const value = withUnit(only.measured, only.unit);
  return ratio === null ? value : `${rounded(ratio)}× (${value})`;
}

/** "met", "2 of 3 met" or "not measured". */
export function verdictText({ figures, met }: Verdict): string {
  if (figures === 0) return 'not measured';
  if (met === figures) return 'met';
  return figures === 1 ? 'MISSED' : `MISSED: ${met} of ${figures} met`;
}
