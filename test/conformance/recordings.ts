import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** What the reference evaluator said to a query. */
export interface Recording {
  /** The text that it was asked, so that a changed query is seen to need recording again. */
  readonly reference: string;
  readonly columns?: readonly { readonly name: string; readonly type: string }[];
  readonly rows?: readonly (readonly unknown[])[];
  /** Its sentence, where it failed on the data. */
  readonly error?: string;
}

export type Recordings = Readonly<Record<string, Recording>>;

const fileOf = (family: string): URL => new URL(`./data/recorded/${family}.json`, import.meta.url);

export function recordingsOf(family: string): Recordings {
  const file = fileOf(family);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Recordings) : {};
}

/** One row a line, so that a change of an answer can be read as a difference of lines. */
export function writeRecordings(family: string, recordings: Recordings): void {
  const entries = Object.entries(recordings).map(([name, { rows, ...rest }]) => {
    const head = JSON.stringify(rest).slice(0, -1);
    const body = rows === undefined ? '' : `,"rows":[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}]`;
    return `${JSON.stringify(name)}: ${head}${body}}`;
  });
  writeFileSync(fileOf(family), `{\n${entries.join(',\n')}\n}\n`);
}
