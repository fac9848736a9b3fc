import {
  BIGINT,
  type DuckDBConnection,
  type DuckDBDataChunk,
  DuckDBScalarFunction,
  type DuckDBVector,
  VARCHAR,
} from '@duckdb/node-api';
import type { Redactor } from '../../../../redact/createRedactor.ts';
import { RedactionCounts } from '../../../../redact/redactionCounts.ts';
import { scriptedNames } from '../../functions/scriptedNames.ts';
import { RedactionRefusal } from '../callFailure.ts';
import { failByFault } from './functionFault.ts';

/** Characters that one statement may redact, at 20 to 300 ns each (measured; many addresses in a row are slowest). */
export const redactedCharsMax = 32 * 1024 * 1024;

/**
 * Counts what running statements have redacted, by tag, and which of them must be rejected for it. Counts by tag,
 * because the engine copies calls of functions when it plans, and TRY turns an error into NULL: neither may hide an
 * excess.
 */
export class RedactedValues {
  readonly #valuesMax: number;
  readonly #running = new Map<number, { readonly members: Map<string, number>; chars: number }>();
  readonly #refused = new Map<number, string>();

  /** `valuesMax`: limit of values of one member in one statement. */
  constructor(valuesMax: number) {
    this.#valuesMax = valuesMax;
  }

  begin(tag: number): void {
    if (this.#running.has(tag)) throw new Error(`a statement with the redaction tag ${tag} is already running`);
    this.#running.set(tag, { members: new Map(), chars: 0 });
  }

  end(tag: number): void {
    this.#running.delete(tag);
    this.#refused.delete(tag);
  }

  /** Throws RedactionRefusal if the statement has met a value that it may not redact. */
  requireWithin(tag: number): void {
    const tooMuch = this.#refused.get(tag);
    if (tooMuch === undefined) return;
    throw new RedactionRefusal(
      `Redaction is in force, and the query reads more than ${tooMuch} that would have to be redacted. Narrow the time range, or read fewer events.`,
    );
  }

  /** Counts values of a member that are about to be redacted. Throws RedactionRefusal beyond the limit. */
  add(tag: number, member: string, values: number): void {
    const { members } = this.#of(tag);
    const total = (members.get(member) ?? 0) + values;
    members.set(member, total);
    if (total > this.#valuesMax) this.#refused.set(tag, `${this.#valuesMax} values of one column or member`);
    this.requireWithin(tag);
  }

  /** Counts the characters of a text that is about to be redacted. Throws RedactionRefusal beyond the limit. */
  addText(tag: number, chars: number): void {
    const used = this.#of(tag);
    used.chars += chars;
    if (used.chars > redactedCharsMax) this.#refused.set(tag, `${redactedCharsMax} characters of text`);
    this.requireWithin(tag);
  }

  #of(tag: number) {
    const used = this.#running.get(tag);
    if (used === undefined) throw new Error('a value is to be redacted outside of a statement');
    return used;
  }
}

type Redact = (redactor: Redactor, value: string, path: readonly string[]) => string;

/**
 * The redacting functions, through which statements read events (contract, section 6). Both take a value, its path as a
 * JSON array, and the statement's tag; NULL gives NULL. One reads text, the other the JSON of a value.
 */
const functions: Readonly<Record<string, Redact>> = {
  [scriptedNames.redactText]: (redactor, value, path) => redactor.redactString(value, path, new RedactionCounts()),
  [scriptedNames.redactJson]: (redactor, value, path) => redactor.redactJson(value, new RedactionCounts(), path),
};

/** Registers the redacting functions in the engine, for all of its connections. */
export function registerRedactingFunctions(
  connection: DuckDBConnection,
  redactor: Redactor,
  redacted: RedactedValues,
): void {
  for (const [name, redact] of Object.entries(functions)) {
    const registered = DuckDBScalarFunction.create({
      name,
      parameterTypes: [VARCHAR, VARCHAR, BIGINT],
      returnType: VARCHAR,
      mainFunction: (info, input, output) => {
        try {
          redactChunk(input, output, redacted, (value, path) => redact(redactor, value, path));
        } catch (error) {
          // The reason is read after the statement has failed (statements.ts).
          if (error instanceof RedactionRefusal) throw error;
          failByFault(info, error);
        }
      },
    });
    connection.registerScalarFunction(registered);
    registered.destroySync();
  }
}

function redactChunk(
  input: DuckDBDataChunk,
  output: DuckDBVector,
  redacted: RedactedValues,
  redact: (value: string, path: readonly string[]) => string,
): void {
  if (input.rowCount === 0) return;
  const column = input.getColumnVector(0);
  // Path and tag are literals of the statement, the same in every row.
  const member = input.getColumnVector(1).getItem(0) as string;
  const tag = Number(input.getColumnVector(2).getItem(0));
  const values: (string | null)[] = [];
  /** Redacted values of the chunk, because most columns repeat a few. */
  const shown = new Map<string, string>();
  for (let row = 0; row < input.rowCount; row++) {
    const value = column.getItem(row) as string | null;
    values.push(value);
    if (value === null || shown.has(value)) continue;
    redacted.addText(tag, value.length);
    shown.set(value, '');
  }
  redacted.add(tag, member, shown.size);
  const path = JSON.parse(member) as readonly string[];
  for (const value of shown.keys()) shown.set(value, redact(value, path));
  for (const [row, value] of values.entries()) output.setItem(row, value === null ? null : (shown.get(value) ?? null));
  output.flush();
}
