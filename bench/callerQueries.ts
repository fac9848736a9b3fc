import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, 'caller');

/** A caller's query and the best that we could write by hand for the engine, for the same rows. */
export interface CallerQuery {
  readonly name: string;
  readonly text: string;
  /** Whether it is asked over the whole history only. */
  readonly isOfWholeHistory: boolean;
  /**
   * Ways to ask the engine, each with a last statement that gives the rows, and perhaps one before it whose only value is
   * the time since when the events of the last one count. `{table: columns}` stands for the project's events in the time
   * asked for, over every file that can hold one.
   */
  readonly byHand: readonly { readonly title: string; readonly statements: readonly string[] }[];
}

export const callerQueries: readonly CallerQuery[] = readdirSync(folder)
  .filter((file) => file.endsWith('.sql'))
  .toSorted()
  .map((file) => parse(file.replace('.sql', ''), readFileSync(join(folder, file), 'utf8')));

function parse(name: string, text: string): CallerQuery {
  const parts = text.split(/^-- (?=caller|by hand)/m).slice(1);
  const [caller, ...byHand] = parts.map((part) => {
    const end = part.indexOf('\n');
    return { title: part.slice(0, end), body: part.slice(end + 1).trim() };
  });
  if (caller === undefined || byHand.length === 0) throw new Error(`${name}.sql holds no query, or nothing by hand`);
  return {
    name,
    text: caller.body,
    isOfWholeHistory: caller.title.includes('whole history'),
    byHand: byHand.map(({ title, body }) => ({ title, statements: body.split(/;\s*\n/) })),
  };
}
