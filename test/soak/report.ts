import type { Hold } from '../support/holdRecords.ts';
import { holdsOf, longHoldsTold } from './holds.ts';
import type { MachineStop } from './machineStops.ts';
import type { Reconciliation } from './reconcile.ts';
import { type Sample, slopePerMinute } from './samples.ts';
import type { SoakRun } from './soakRun.ts';

export interface FaultDone {
  readonly name: string;
  readonly atSeconds: number;
  readonly outcome: string;
}

export interface SoakFacts {
  readonly run: SoakRun;
  readonly seed: string;
  readonly minutes: number;
  readonly done: readonly FaultDone[];
  /** Of each node. */
  readonly samples: readonly (readonly Sample[])[];
  /** Times that the main thread was blocked while the service was ready. */
  readonly holds: readonly Hold[];
  /** Times in which the machine stopped; null if they are not known. */
  readonly stops: readonly MachineStop[] | null;
  /** Number of the service's log lines by kind. */
  readonly logKinds: ReadonlyMap<string, number>;
  readonly running: Reconciliation;
  readonly restarted: Reconciliation;
  /** Load average of the machine over 1, 5 and 15 minutes. */
  readonly load: readonly number[];
}

/** The result of a soak, as a page in Markdown. */
export function soakReport(facts: SoakFacts): string {
  const { run, seed, minutes, done, running, restarted, load } = facts;
  return [
    `Seed ${seed}, ${minutes} minutes. Load average at the end: ${load.map((each) => each.toFixed(1)).join(', ')}.`,
    '### Events',
    eventsTable(run),
    `Stored at the end: ${told(running)}. After one more restart: ${told(restarted)}.`,
    '### Faults',
    table(
      ['at', 'fault', 'result'],
      done.map(({ atSeconds, name, outcome }) => [`${atSeconds} s`, name, outcome]),
    ),
    '### Answers',
    answersTable(run),
    '### Duration of calls without faults',
    timesTable(run.took),
    '### Other durations',
    timesTable(run.measured),
    ...facts.samples.flatMap((samples, node) => [
      `### Memory and file handles${facts.samples.length > 1 ? ` of node ${node}` : ''}`,
      ...resources(samples, minutes),
    ]),
    '### Main thread',
    table(
      ['blocked for', 'times', 'during garbage collection', 'while a processor of the machine stopped'],
      holdsOf(facts.holds, facts.stops ?? []),
    ),
    stopsTold(facts.stops),
    ...longHoldsTold(facts.holds, facts.stops ?? []),
    '### Log',
    table(
      ['kind', 'lines'],
      [...facts.logKinds].sort().map(([kind, count]) => [kind, String(count)]),
    ),
    `### Findings: ${run.findings.length}`,
    ...run.findings.map(({ atSeconds, what, detail }) => `- ${atSeconds} s: ${what}: ${detail}`),
    '',
  ].join('\n\n');
}

function stopsTold(stops: readonly MachineStop[] | null): string {
  if (stops === null)
    return 'Times in which the machine stopped are not known: watching for them needs Linux and root.';
  const ms = stops.map(({ stoppedMs }) => stoppedMs);
  const longest = Math.max(0, ...ms).toFixed(0);
  return `Processors of the machine stopped ${ms.length} times for more than 40 ms, the longest time for ${longest} ms.`;
}

function timesTable(times: ReadonlyMap<string, readonly number[]>): string {
  const at = (sorted: readonly number[], share: number) =>
    `${Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0)} ms`;
  return table(
    ['', 'number', 'median', 'p99', 'longest'],
    [...times].sort().map(([sort, all]) => {
      const sorted = all.toSorted((a, b) => a - b);
      return [sort, String(all.length), at(sorted, 0.5), at(sorted, 0.99), at(sorted, 1)];
    }),
  );
}

function told({ batches, events, lost, doubled, wrong, setAside }: Reconciliation): string {
  return `${events} events in ${batches} batches; ${lost} lost, ${doubled} duplicated, ${wrong} wrong, ${setAside} quarantined with segments that were damaged on purpose`;
}

function eventsTable({ ledger }: SoakRun): string {
  const states = ['acknowledged', 'refused', 'unsettled', 'sending'] as const;
  return table(
    ['batches', 'number', 'events'],
    states.map((state) => {
      const { batches, events } = ledger.count(state);
      return [state, String(batches), String(events)];
    }),
  );
}

function answersTable({ answers }: SoakRun): string {
  const bySort = new Map<string, string[]>();
  for (const [key, count] of [...answers].sort()) {
    const [sort = '', outcome = ''] = key.split(': ');
    bySort.set(sort, [...(bySort.get(sort) ?? []), `${outcome} × ${count}`]);
  }
  return table(
    ['calls', 'answers'],
    [...bySort].map(([sort, outcomes]) => [sort, outcomes.join(', ')]),
  );
}

const parts = ['serviceBytes', 'engineBytes', 'serviceHandles', 'engineHandles'] as const;
const mebibyte = 2 ** 20;

function resources(samples: readonly Sample[], minutes: number): readonly string[] {
  const show = (sample: Sample | undefined, part: (typeof parts)[number]): string => {
    const value = sample?.[part] ?? null;
    if (value === null) return '–';
    return part.endsWith('Bytes') ? `${Math.round(value / mebibyte)} MiB` : String(value);
  };
  const at = [...new Set([1, 5, 10, 15, minutes])].filter((minute) => minute <= minutes);
  const heads = ['', 'service', 'engine', 'service handles', 'engine handles'];
  const moments = at.map((minute) => [
    `minute ${minute}`,
    ...parts.map((part) =>
      show(
        samples.findLast(({ atSeconds }) => atSeconds <= minute * 60),
        part,
      ),
    ),
  ]);
  const peak = ['peak', ...parts.map((part) => show(maximum(samples, part), part))];
  const life = longestLife(samples);
  const slope = (part: (typeof parts)[number], within: readonly Sample[]): string => {
    const points = within.flatMap((each) => (each[part] === null ? [] : [[each.atSeconds, each[part]] as const]));
    const perMinute = slopePerMinute(points);
    return part.endsWith('Bytes') ? `${(perMinute / mebibyte).toFixed(2)} MiB` : perMinute.toFixed(2);
  };
  return [
    table(heads, [
      ...moments,
      peak,
      ['growth per minute, whole time', ...parts.map((part) => slope(part, samples))],
      ['growth per minute, longest life', ...parts.map((part) => slope(part, life))],
    ]),
    `The main process that lived longest ran from ${Math.round(life[0]?.atSeconds ?? 0)} s to ${Math.round(life.at(-1)?.atSeconds ?? 0)} s, without its first minute.`,
  ];
}

function maximum(samples: readonly Sample[], part: (typeof parts)[number]): Sample | undefined {
  return samples.reduce<Sample | undefined>(
    (found, each) => ((each[part] ?? 0) > (found?.[part] ?? 0) ? each : found),
    undefined,
  );
}

/** Samples of the main process that lived longest, without its first minute. */
function longestLife(samples: readonly Sample[]): readonly Sample[] {
  const lives = new Map<number | null, Sample[]>();
  for (const each of samples) {
    const life = lives.get(each.servicePid) ?? [];
    life.push(each);
    lives.set(each.servicePid, life);
  }
  const longest = [...lives].filter(([pid]) => pid !== null).sort(([, a], [, b]) => b.length - a.length)[0]?.[1] ?? [];
  return longest.filter(({ atSeconds }) => atSeconds > (longest[0]?.atSeconds ?? 0) + 60);
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
