import { SeededRandom } from '../../src/demo/seededRandom.ts';

export interface ScheduledFault {
  readonly name: string;
  readonly atMs: number;
}

/** Parts of the time. Nothing happens in the first and the last; the main process survives the third. */
const parts = { calm: 0.08, restarts: 0.32, oneProcess: 0.45 };

const restarting = new Set(['kill-service', 'terminate', 'disk-full-restart', 'damage-stopped']);

/** Milliseconds between the starts of two faults, for one service and for nodes. A longer fault delays the next one. */
const betweenMs = { service: 20_000, nodes: 30_000 };

/**
 * Plans the faults, by the seed alone. Those that restart the main process come first, so that its memory can be
 * watched for a long time afterwards; damage of files comes last in each part.
 */
export function schedule(names: readonly string[], durationMs: number, seed: string): readonly ScheduledFault[] {
  const random = new SeededRandom(`${seed} schedule`);
  const first = parts.calm * durationMs;
  const second = first + parts.restarts * durationMs;
  const third = second + parts.oneProcess * durationMs;
  const early = names.filter((name) => restarting.has(name) || name === 'kill-engine' || name === 'greedy');
  const late = names.filter((name) => !restarting.has(name));
  return [
    ...fill(early, first, second, betweenMs.service, random),
    ...fill(late, second, third, betweenMs.service, random),
  ];
}

/** Plans faults from the seed alone, at any time except the beginning and the end. */
export function evenSchedule(names: readonly string[], durationMs: number, seed: string): readonly ScheduledFault[] {
  const untilMs = (parts.calm + parts.restarts + parts.oneProcess) * durationMs;
  return fill(names, parts.calm * durationMs, untilMs, betweenMs.nodes, new SeededRandom(`${seed} schedule`));
}

function fill(
  choices: readonly string[],
  fromMs: number,
  untilMs: number,
  everyMs: number,
  random: SeededRandom,
): readonly ScheduledFault[] {
  const count = Math.max(choices.length, Math.floor((untilMs - fromMs) / everyMs));
  if (choices.length === 0) return [];
  const rounds = Array.from({ length: Math.ceil(count / choices.length) }, () => shuffled(choices, random)).flat();
  const chosen = rounds.slice(0, count);
  const ordered = [...chosen.filter((name) => !isDamage(name)), ...new Set(chosen.filter(isDamage))];
  return ordered.map((name, at) => ({
    name,
    atMs: fromMs + ((at + 0.5 * random.next()) * (untilMs - fromMs)) / ordered.length,
  }));
}

const isDamage = (name: string) => name.startsWith('damage');

function shuffled(names: readonly string[], random: SeededRandom): readonly string[] {
  const rest = [...names];
  return names.map(() => rest.splice(random.integer(0, rest.length - 1), 1)[0] ?? '');
}
