/** Parts of a number that two ways of adding floating point numbers may differ by. */
const precision = 12;

/** Rows of an answer over HTTP, in the form in which they are compared with those of another database. */
export function ofAnswer(body: Buffer): readonly (readonly unknown[])[] {
  const { result } = JSON.parse(body.toString('utf8')) as { result: readonly Readonly<Record<string, unknown>>[] };
  return result.map((row) => Object.values(row).map((value) => comparable(unwrapped(value))));
}

/** Rows of PostgreSQL, which are texts, read with the types of the other rows. */
export function ofPostgres(
  rows: readonly (readonly (string | null)[])[],
  like: readonly (readonly unknown[])[],
): readonly (readonly unknown[])[] {
  return rows.map((row, n) => row.map((text, column) => comparable(readAs(text, like[n]?.[column]))));
}

/** Rows of ClickHouse in JSON. Texts are read as JSON if the other rows have an object in their place. */
export function ofClickHouse(
  rows: readonly (readonly unknown[])[],
  like: readonly (readonly unknown[])[],
): readonly (readonly unknown[])[] {
  return rows.map((row, n) =>
    row.map((value, column) => {
      const isNested = typeof like[n]?.[column] === 'object' && typeof value === 'string';
      return comparable(isNested ? JSON.parse(value) : value);
    }),
  );
}

function readAs(text: string | null, like: unknown): unknown {
  if (text === null) return null;
  if (typeof like === 'number') return Number(text);
  if (typeof like === 'boolean') return text === 't';
  if (typeof like === 'object' && like !== null) return JSON.parse(text);
  return text;
}

/** Nested records are one-element lists in GoogleSQL's tables and plain objects in PostgreSQL. */
function unwrapped(value: unknown): unknown {
  if (Array.isArray(value)) {
    const [only] = value;
    if (value.length === 1 && typeof only === 'object' && only !== null) return unwrapped(only);
    return value.map(unwrapped);
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, unwrapped(member)]));
}

/** Times in one form, with microseconds and without a zone; numbers without their last digits. */
function comparable(value: unknown): unknown {
  if (typeof value === 'number') return Number(value.toPrecision(precision));
  if (typeof value !== 'string') return value;
  const time = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(?:Z|\+00(?::00)?)?$/.exec(value);
  if (time === null) return value;
  const [, day, clock, fraction = ''] = time;
  return `${day}T${clock}.${fraction.padEnd(6, '0')}`;
}
