import type { StructField } from './types.ts';

/**
 * The member names of a STRUCT in JSON. Unnamed fields become `_field_1`, `_field_2` by position. Repeated names get `_1`,
 * `_2`, like columns, so that JSON readers see every value.
 */
export function memberNames(fields: readonly StructField[]): readonly string[] {
  const given = new Set(fields.map(({ name }) => name));
  const taken = new Set<string>();
  return fields.map(({ name }, i) => {
    const wanted = name === '' ? `_field_${i + 1}` : name;
    const isOwn = name !== '' || !given.has(wanted);
    const free = isOwn && !taken.has(wanted) ? wanted : numbered(wanted, given, taken);
    taken.add(free);
    return free;
  });
}

function numbered(name: string, given: ReadonlySet<string>, taken: ReadonlySet<string>): string {
  for (let i = 1; ; i++) {
    const candidate = `${name}_${i}`;
    if (!given.has(candidate) && !taken.has(candidate)) return candidate;
  }
}
