/** What a name of an operation is made for: an endpoint of a list. */
export interface NamedEndpoint {
  readonly id: string;
  readonly name: string;
  readonly primary: boolean;
}

/**
 * Names that clients and schemas have for something else: a class has one constructor, the typed client has `query` and the
 * type `OwnQueryParameters`, and `CallerRow` is there already.
 */
const reserved = ['constructor', 'query', 'ownQuery', 'caller'];

/**
 * A name for each endpoint that programs can use for a method, by its id: `logs.all` → `logsAll`. A
 * name that several would have goes to the first that is primary; the others, and those with a reserved
 * name, get the start of their id, as many digits as tell them apart.
 */
export function operationNames(endpoints: readonly NamedEndpoint[]): ReadonlyMap<string, string> {
  const ordered = [...endpoints].sort(
    (a, b) => Number(b.primary) - Number(a.primary) || compare(a.name, b.name) || compare(a.id, b.id),
  );
  const names = new Map<string, string>();
  const taken = new Set<string>(reserved);
  for (const { id, name, primary } of ordered) {
    const plain = camelCase(name);
    const digits = id.replaceAll('-', '');
    let candidate = primary ? plain : `${plain}${digits.slice(0, 8)}`;
    for (let count = 8; taken.has(candidate); count += 4) candidate = `${plain}${digits.slice(0, count)}`;
    taken.add(candidate);
    names.set(id, candidate);
  }
  return names;
}

function camelCase(name: string): string {
  const [first = '', ...others] = name.split(/[^A-Za-z0-9]+/).filter((part) => part !== '');
  const joined = first + others.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join('');
  return /^[A-Za-z]/.test(joined) ? joined : `endpoint${joined}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
