import { day, floorTo, hour, iso, minute, second } from '../../support/instants.ts';

/** What the model knows of a function request. Times in microseconds; `ms` is what a reader makes of the stored value. */
export interface Invocation {
  readonly timestamp: number;
  readonly functionId: string | null;
  readonly ms: number | null;
  readonly status: number | null;
}

export interface Bucket {
  readonly timestamp: string;
  readonly min_execution_time: number | null;
  readonly max_execution_time: number | null;
  readonly avg_execution_time: number | null;
  readonly p95_execution_time: number | null;
  readonly p99_execution_time: number | null;
  readonly count: number;
  readonly error_count: number;
}

/** Span and size of a bucket (contract, section 2, "functions.invocation-stats"). */
export const statsIntervals = {
  '5min': { span: 5 * minute, bucket: second },
  '15min': { span: 15 * minute, bucket: minute },
  '1hr': { span: hour, bucket: minute },
  '1day': { span: day, bucket: hour },
  '7day': { span: 7 * day, bucket: day },
} as const;

export type StatsInterval = keyof typeof statsIntervals;

/** The answer of functions.invocation-stats in plain code, for records of one project. */
export function invocationStats(
  invocations: readonly Invocation[],
  interval: StatsInterval,
  nowMicros: number,
  options: { readonly functionId?: string; readonly fill?: boolean } = {},
): readonly Bucket[] {
  const { span, bucket } = statsIntervals[interval];
  const last = floorTo(nowMicros, bucket);
  const buckets: Bucket[] = [];
  for (let start = floorTo(nowMicros - span, bucket); start <= last; start += bucket) {
    const inside = invocations.filter(
      ({ timestamp, functionId }) =>
        timestamp >= start &&
        timestamp < start + bucket &&
        (options.functionId === undefined || functionId === options.functionId),
    );
    if (inside.length > 0 || options.fill === true) buckets.push(bucketOf(start, inside));
  }
  return buckets;
}

function bucketOf(start: number, inside: readonly Invocation[]): Bucket {
  const times = inside.flatMap(({ ms }) => (ms === null ? [] : [ms])).sort((a, b) => a - b);
  const quantile = (k: number) => times[Math.ceil((k * times.length) / 100) - 1] ?? null;
  return {
    timestamp: iso(start),
    min_execution_time: times[0] ?? null,
    max_execution_time: times.at(-1) ?? null,
    avg_execution_time: times.length === 0 ? null : times.reduce((sum, ms) => sum + ms, 0) / times.length,
    p95_execution_time: quantile(95),
    p99_execution_time: quantile(99),
    count: inside.length,
    error_count: inside.filter(({ status }) => status !== null && status >= 400).length,
  };
}
