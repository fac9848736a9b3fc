import { ServiceError } from '../../core/errors.ts';

/** How the tails of one party were read apart from others. */
export interface PartRead<Party> {
  readonly party: Party;
  /** How long it took, without the wait for its turn. */
  readonly ms: number;
  /** Undefined if it did not fail. */
  readonly error: unknown;
}

/** What a read took at least that ran into its limit. */
const timeoutMsMin = 1000;

/** A party that takes less is not to blame, nor one that takes less than this part of what all took together. */
const blamedMsMin = 250;
const blamedPart = 1 / 3;
/** On a busy machine, all take long. To blame are those that take longer than most others by this. */
const blamedFactor = 4;

/**
 * The parties because of which a read of all failed or took long: those that fail for another reason than time, and those that
 * take much longer than most others. `allMs`: how long the read of all took.
 */
export function partiesToBlame<Party>(parts: readonly PartRead<Party>[], allMs = 0): readonly Party[] {
  const times = parts.map(({ ms, error }) => (isTimeout(error) ? Math.max(ms, timeoutMsMin) : ms));
  const isToBlame = ({ error }: PartRead<Party>, i: number): boolean => {
    if (error !== undefined && !isTimeout(error)) return true;
    const ms = times[i] ?? 0;
    const others = times.filter((_, at) => at !== i).sort((a, b) => a - b);
    const most = others[Math.floor((others.length - 1) / 2)];
    return most !== undefined && ms >= Math.max(blamedMsMin, blamedPart * allMs) && ms >= blamedFactor * most;
  };
  return parts.filter(isToBlame).map(({ party }) => party);
}

export function isTimeout(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'query.timeout';
}
