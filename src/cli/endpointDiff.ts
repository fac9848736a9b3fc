import type { EndpointDiff } from './managedEndpoints.ts';

/** What differs between two versions of an endpoint, as text for a person; empty where nothing does. */
export function renderDiff(diff: EndpointDiff): string {
  const lines = [
    ...diff.settings.map(({ field, from, to }) => `  ${field}: ${shown(from)} → ${shown(to)}`),
    ...diff.parameters.flatMap(({ name, change, fields }) => [
      `  parameter ${name} ${change}`,
      ...(change === 'removed'
        ? []
        : fields.map(({ field, from, to }) => `    ${field}: ${shown(from)} → ${shown(to)}`)),
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
  ];
  return lines.filter((line) => line.trim() !== '').join('\n');
}

function shown(value: unknown): string {
  return value === null ? 'none' : JSON.stringify(value);
}
