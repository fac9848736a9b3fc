import { printable } from '../core/printable.ts';
import type { LogEntry } from './writtenObservation.ts';

/**
 * Formats a log entry for people, with its line end: time, level, message, then members as `name=value`, with nested names
 * joined by dots. A cause follows on indented lines. Characters that a terminal would obey are escaped.
 */
export function readableLine({ level, fields, message }: LogEntry, timeMs: number): string {
  const { kind, cause, ...members } = fields;
  // Only warnings have a message of their own; otherwise the message is the kind.
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

/** Writes a simple text without quotes, and every other value as JSON. */
function written(value: unknown): string {
  if (typeof value === 'string' && /^[^\s"=]+$/.test(value)) return printable(value);
  return printable(JSON.stringify(value) ?? String(value));
}
