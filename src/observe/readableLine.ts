import { printable } from '../core/printable.ts';
import type { LogEntry } from './writtenObservation.ts';

/**
 * An entry of the log as a person reads it, with its line end: time, level, message, then its members as `name=value`,
 * those of records under names joined by dots. A text of several lines, such as a cause, stands below, indented.
 * Holds nothing that a terminal obeys, wherever a text came from.
 */
export function readableLine({ level, fields, message }: LogEntry, timeMs: number): string {
  const { kind, cause, ...members } = fields;
  // The message of a warning is its own, every other one is its kind.
  const words = kind === message || kind === 'warning' ? [] : [`kind=${written(kind)}`];
  const line = [
    new Date(timeMs).toISOString(),
    level.toUpperCase().padEnd(5),
    printable(message),
    ...words,
    ...namedValues(members),
  ];
  return `${line.join(' ')}\n${cause === undefined ? '' : indented(cause)}`;
}

function indented(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text
    .split('\n')
    .map((each) => `    ${printable(each)}\n`)
    .join('');
}

function namedValues(members: object, prefix = ''): readonly string[] {
  return Object.entries(members).flatMap(([name, value]: [string, unknown]) => {
    if (value === undefined) return [];
    const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isRecord ? namedValues(value, `${prefix}${name}.`) : [`${prefix}${name}=${written(value)}`];
  });
}

/** A text as it is where it cannot be mistaken for anything else, and every other value, as JSON. */
function written(value: unknown): string {
  if (typeof value === 'string' && /^[^\s"=]+$/.test(value)) return printable(value);
  return printable(JSON.stringify(value) ?? String(value));
}
