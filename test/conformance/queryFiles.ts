import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('./queries/', import.meta.url);

/** A query of the suite, from `queries/<family>.sql`. */
export interface SuiteQuery {
  readonly family: string;
  readonly name: string;
  readonly sql: string;
  /** What the reference evaluator runs for it, where it cannot run the query itself. */
  readonly reference: string;
  /** Rows worked out by hand, with the reason why the evaluator cannot say. */
  readonly byHand: { readonly why: string; readonly rows: readonly (readonly unknown[])[] } | null;
  /** Both sides fail on the data of this query. */
  readonly fails: boolean;
  /** FLOAT64 may differ in the last digits: sums in another order, functions of another mathematics library. */
  readonly isApproximate: boolean;
}

/** The names of the files of queries. */
export const families: readonly string[] = readdirSync(folder)
  .filter((file) => file.endsWith('.sql'))
  .map((file) => file.slice(0, -4))
  .sort();

/**
 * A family's queries. Each begins with a line `-- name: <name>`; lines of the form `-- <word>: …`
 * that follow say more about it:
 * - `reference:` a line of the query that the evaluator runs instead;
 * - `by hand:` why its answer is worked out, then `rows:` with JSON, which may go on in further such lines;
 * - `fails:` why its data makes it fail; `approximate:` why its numbers are compared to 12 digits.
 */
export function queriesOf(family: string): readonly SuiteQuery[] {
  const text = readFileSync(new URL(`${family}.sql`, folder), 'utf8');
  const parts = text.split(/^-- name: (.+)$/m);
  const queries: SuiteQuery[] = [];
  for (let at = 1; at < parts.length; at += 2) queries.push(readQuery(family, parts[at] ?? '', parts[at + 1] ?? ''));
  return queries;
}

function readQuery(family: string, name: string, block: string): SuiteQuery {
  const said = new Map<string, string>();
  const lines: string[] = [];
  for (const line of block.split('\n')) {
    const [, word, value] = /^-- (reference|by hand|rows|fails|approximate): (.*)$/.exec(line) ?? [];
    if (word === undefined || value === undefined) lines.push(line);
    else said.set(word, said.has(word) ? `${said.get(word)}\n${value}` : value);
  }
  const sql = lines.join('\n').trim();
  const why = said.get('by hand');
  const rows = said.get('rows');
  if (sql === '') throw new Error(`${family}: ${name} has no query`);
  if ((why === undefined) !== (rows === undefined))
    throw new Error(`${family}: ${name} says one of "by hand" and "rows"`);
  return {
    family,
    name: name.trim(),
    sql,
    reference: said.get('reference') ?? sql,
    byHand: why === undefined ? null : { why, rows: JSON.parse(rows ?? '') as readonly (readonly unknown[])[] },
    fails: said.has('fails'),
    isApproximate: said.has('approximate'),
  };
}
