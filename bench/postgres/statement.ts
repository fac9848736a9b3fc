import type pg from 'pg';

/** Values for `{name}` in a text. */
export interface Asked {
  readonly project: string;
  /** ISO 8601. */
  readonly now: string;
  /** Only events later than this, ISO 8601; null for the whole history. */
  readonly after: string | null;
}

/** One query as a user of PostgreSQL would write it. */
export interface Statement {
  readonly title: string;
  /** Contains parameters as `{project}`, `{now}` and `{after}`. */
  readonly text: string;
}

/** The rows, each as the server's texts in the order of its columns. */
export async function runStatement(
  client: pg.Client,
  { text }: Statement,
  asked: Asked,
): Promise<readonly (readonly (string | null)[])[]> {
  const values: (string | null)[] = [];
  const places = new Map<string, string>();
  const numbered = text.replaceAll(/\{(project|now|after)\}/g, (_, name: keyof Asked) => {
    const known = places.get(name);
    if (known !== undefined) return known;
    values.push(asked[name]);
    const place = `$${values.length}::${name === 'project' ? 'text' : 'timestamp'}`;
    places.set(name, place);
    return place;
  });
  const { rows } = await client.query<(string | null)[]>({ text: numbered, values, rowMode: 'array' });
  return rows;
}
