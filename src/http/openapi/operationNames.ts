/** An endpoint that needs an operation name. */
export interface NamedEndpoint {
  readonly id: string;
  readonly name: string;
  readonly primary: boolean;
}

/**
 * Names that already mean something else: a class has one `constructor`, the typed client has `query`, `stream`, `pages`,
 * `queryPages`, `tail`, `export`, `exportById` and the type `OwnQueryParameters`, and `CallerRow` is a schema.
 */
const reserved = [
  'constructor',
  'query',
  'stream',
  'pages',
  'queryPages',
  'tail',
  'export',
  'exportById',
  'ownQuery',
  'caller',
];

/**
 * Names that generated clients can use for methods, by endpoint id: `logs.all` → `logsAll`. If several endpoints
 * have the same name, the primary one gets it. The others, and endpoints with a reserved name, get as many digits of
 * their id appended as make the name unique.
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
