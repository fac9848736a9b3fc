/** What a figure must be. */
interface Bound {
  readonly text: string;
  /** `measured` is in the unit of the text; of a ratio, it and `beside` are in the same one. */
  isMet(measured: number, beside: number): boolean;
}

const atMost = (most: number, unit: string): Bound => ({
  text: `≤ ${most}${unit}`,
  isMet: (measured, beside) => measured <= most * beside,
});

const atLeast = (least: number, unit: string): Bound => ({
  text: `≥ ${least}${unit}`,
  isMet: (measured, beside) => measured >= least * beside,
});

const below = (end: number, unit: string): Bound => ({
  text: `< ${end}${unit}`,
  isMet: (measured, beside) => measured < end * beside,
});

/** Of times in milliseconds: calls that take next to nothing may take that many times more, or so much more. */
const timesOrMore = (times: number, moreMs: number): Bound => ({
  text: `≤ ${times}× or + ${moreMs} ms, whichever is larger`,
  isMet: (measured, beside) => measured <= Math.max(times * beside, beside + moreMs),
});

/** Targets of the product. Ratios compare figures of one run. */
export const targets = {
  storedEndpoint: {
    what: 'stored endpoint over HTTP, compared with its statement run directly on the same files',
    bound: timesOrMore(1.5, 2.5),
  },
  callerDay: {
    what: 'queries of callers over a day, compared with the fastest SQL by hand',
    bound: atMost(1.8, '×'),
  },
  newestTime: { what: 'newest 100 of any project, 5 million events, median', bound: atMost(8, ' ms') },
  newestPostgres: {
    what: 'newest 100 of any project, compared with PostgreSQL with the best index',
    bound: atMost(3, '×'),
  },
  newestGrowth: {
    what: 'newest 100 of a project of the same size among more events of other projects',
    bound: timesOrMore(1.25, 1),
  },
  postgresShort: {
    what: 'other stored and caller queries, compared with PostgreSQL with that index, windows below a day',
    bound: below(1, '×'),
  },
  postgresLong: {
    what: 'other stored and caller queries, compared with PostgreSQL with that index, windows of a day or more',
    bound: atMost(0.25, '×'),
  },
  ingestRate: {
    what: 'ingestion of 1,000-event requests, compared with durable batches of the bare engine',
    bound: atLeast(0.5, '×'),
  },
  ingestAcknowledged: { what: 'p99 acknowledgement at half that rate', bound: below(120, ' ms') },
  storedBytes: {
    what: 'stored bytes, compared with raw JSON, after sealing, with arrival numbers and known members',
    bound: atMost(0.175, ''),
  },
  cachedRate: {
    what: 'rate of cached answers, compared with a bare Fastify route with the same bytes and a token check',
    bound: atLeast(0.75, '×'),
  },
  unchangedRate: {
    what: 'rate of polls of a quiet project, compared with the same bare route',
    bound: atLeast(0.6, '×'),
  },
  unchangedTime: {
    what: 'processor time of a poll, 10 polls and an event a second, compared with a run each',
    bound: atMost(0.25, '×'),
  },
  dayProcessor: {
    what: 'processor time of an answer in a day of dashboards, compared with PostgreSQL with the best index',
    bound: atMost(0.5, '×'),
  },
  dayP95: { what: 'p95 of the answers in a day of dashboards, compared with the same', bound: atMost(0.5, '×') },
  callProcessor: {
    what: 'processor time of a call of a stored endpoint, 8 clients, 1 million events',
    bound: atMost(6, ' ms'),
  },
  eightClients: { what: 'throughput of 8 parallel clients, compared with 1', bound: atLeast(1.5, '×') },
  manyClients: { what: 'p99 of 32 parallel clients, compared with 8', bound: atMost(4, '×') },
  mixedLoad: {
    what: 'median of queries of 16 clients at 2,000 events/s, compared with no events',
    bound: atMost(1.5, '×'),
  },
  memoryBusy: { what: 'memory of all processes, 5 million events, mixed load', bound: atMost(900, ' MB') },
  memoryIdle: { what: 'memory of all processes, idle for a minute', bound: atMost(250, ' MB') },
  start: { what: 'start to ready, 5 million events', bound: atMost(1, ' s') },
} as const;

export type TargetName = keyof typeof targets;

/** The target that a figure is held to. */
export interface HeldTarget {
  readonly name: TargetName;
  readonly bound: string;
  readonly isMet: boolean;
}

/** `beside`: what a ratio compares the figure with; 1 if it is measured as a ratio or has none. */
export function target(name: TargetName, measured: number, beside = 1): HeldTarget {
  const { text, isMet } = targets[name].bound;
  return { name, bound: text, isMet: isMet(measured, beside) };
}

/** Converts mebibytes to megabytes of 10^6 bytes, the unit of the targets. */
export function megabytes(mebibytes: number): number {
  return (mebibytes * 2 ** 20) / 1e6;
}

/** Targets for a million events apply to folders with at most this many. */
export const fewEvents = 1_000_000;

/** Targets for 5 million events apply to folders with at least this many. */
export const manyEvents = 5_000_000;
