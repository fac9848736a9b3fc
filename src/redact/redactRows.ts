import type { ColumnOrigins, Redactor } from './createRedactor.ts';
import { RedactionCounts } from './redactionCounts.ts';
import { rowSlices } from './rowSlices.ts';

export interface ShownRows {
  readonly rows: Uint8Array<ArrayBuffer>;
  /** Marks in the rows by kind. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Redacts rows of a result (JSON objects separated by commas). */
export function redactRows(rows: Uint8Array, origins: ColumnOrigins, redactor: Redactor): ShownRows {
  const counts = new RedactionCounts();
  const parts: Buffer[] = [];
  for (const slice of rowSlices(rows)) {
    const text = redactor.redactRows(`[${slice}]`, origins, new RedactionCounts()).slice(1, -1);
    redactor.countMarks(text, counts);
    parts.push(Buffer.from(parts.length === 0 ? text : `,${text}`));
  }
  return { rows: Buffer.concat(parts), counts: counts.toJson() };
}
