import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, 'caller');

/** A caller query, and the best statements that we could write by hand for the same rows. */
export interface CallerQuery {
  readonly name: string;
  readonly text: string;
  /** Whether it is measured only over the whole history. */
  readonly isOfWholeHistory: boolean;
  /**
   * Ways to ask the engine. The last statement of each returns the rows; one before it may return a single value, the
   * time from which the events of the last one count. `{table: columns}` means the project's events in the requested
   * time, over every segment that can hold one.
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
