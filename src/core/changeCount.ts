/** Adds to the count of a key. The map holds no zeros. */
export function changeCount<Key>(counts: Map<Key, number>, key: Key, by: number): void {
  const next = (counts.get(key) ?? 0) + by;
  if (next === 0) counts.delete(key);
  else counts.set(key, next);
}
