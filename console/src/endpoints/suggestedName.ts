import type { DescribedEndpoint } from '../api/describedEndpoints.ts';
import type { Conversion } from './useConversion.ts';

/** How the value is compared. */
const comparison = /_(min|max|not|like|pattern|text)(_\d+)?$/;
/** Parameters that every search in time has. */
const ofTime = /^(minutes|seconds|end|from|to)(_\d+)?$/;
const partsMax = 2;

/** A free name that says which table is read, and by what. */
export function suggestedName(
  { sql, parameters }: Pick<Conversion, 'sql' | 'parameters'>,
  endpoints: readonly Pick<DescribedEndpoint, 'name'>[],
): string {
  const table = /\bfrom\s+`?([a-z0-9_]+)/i.exec(sql)?.[1]?.toLowerCase() ?? 'rows';
  const members = parameters
    .filter(({ name, on }) => on && !ofTime.test(name))
    .map(({ name }) => name.replace(comparison, ''));
  const what = members.length === 0 ? 'recent' : `by-${members.slice(0, partsMax).join('-')}`;
  const wanted = `${table}.${what}`.toLowerCase().replaceAll('_', '-');
  const taken = new Set(endpoints.map(({ name }) => name));
  let free = wanted;
  for (let n = 2; taken.has(free); n += 1) free = `${wanted}-${n}`;
  return free;
}
