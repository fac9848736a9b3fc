/** A column, field or item with a name; the name is empty if it has none. */
interface Named {
  readonly name: string;
}

/** In shorter lists, looking through the names is faster than an index. */
const indexedFrom = 8;
const indexes = new WeakMap<readonly Named[], ReadonlyMap<string, readonly Named[]>>();

/** Those with this name, in order. Names are case-insensitive. A query may look up thousands of names among a thousand columns, so each long list gets an index; it must not change. */
export function named<T extends Named>(list: readonly T[], name: string): readonly T[] {
  const key = name.toLowerCase();
  if (key === '') return [];
  if (list.length < indexedFrom) return list.filter((each) => each.name.toLowerCase() === key);
  const index = indexes.get(list) ?? indexOf(list);
  return (index.get(key) ?? []) as readonly T[];
}

function indexOf(list: readonly Named[]): ReadonlyMap<string, readonly Named[]> {
  const index = new Map<string, Named[]>();
  for (const each of list) {
    const key = each.name.toLowerCase();
    const known = index.get(key);
    if (known === undefined) index.set(key, [each]);
    else known.push(each);
  }
  indexes.set(list, index);
  return index;
}
