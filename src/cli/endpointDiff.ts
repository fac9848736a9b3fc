import { counted } from '../core/counted.ts';
import type { EndpointCallers, EndpointDiff } from './managedEndpoints.ts';

/** Renders the differences between two versions of an endpoint and the callers that they break; empty if there are none. */
export function renderDiff(diff: EndpointDiff, callers: EndpointCallers): string {
  const lines = [
    ...diff.settings.map(({ field, from, to }) => `  ${field}: ${shown(from)} → ${shown(to)}`),
    ...diff.parameters.flatMap(({ name, change, fields }) => [
      `  parameter ${name} ${change}`,
      ...fields.flatMap(({ field, from, to }) => {
        if (change === 'changed') return [`    ${field}: ${shown(from)} → ${shown(to)}`];
        // Fields of a new parameter that have their default are not shown.
        return change === 'added' && !parameterDefaults.includes(to) ? [`    ${field}: ${shown(to)}`] : [];
      }),
    ]),
    ...diff.columns.map(({ name, change, from, to }) =>
      change === 'retyped' ? `  column ${name} retyped: ${from} → ${to}` : `  column ${name} ${change}: ${to ?? from}`,
    ),
    ...(diff.query === null
      ? []
      : diff.query
          .split('\n')
          .slice(2)
          .map((line) => `  ${line}`.trimEnd())),
    ...diff.breaking.map(({ message }) => `  breaks callers: ${message}`),
    ...(diff.breaking.length === 0 ? [] : [`  called in the last 30 days by: ${shownCallers(callers)}`]),
  ];
  return lines.filter((line) => line.trim() !== '').join('\n');
}

const parameterDefaults: readonly unknown[] = [false, '', 'reject'];

function shownCallers(callers: EndpointCallers): string {
  if (callers === null) return 'unknown';
  if (callers.length === 0) return 'nobody';
  return callers
    .map(({ token, description, calls, last_call: last }) => {
      const facts = `${counted(calls, 'call')}, last ${last}`;
      return description ? `${JSON.stringify(description)} (${token}, ${facts})` : `${token} (${facts})`;
    })
    .join(', ');
}

function shown(value: unknown): string {
  return value === null ? 'none' : JSON.stringify(value);
}
