import type { TailRow } from './readTail.ts';
import type { TailWriter } from './tailFormat.ts';
import { isAfter, type TailPlace } from './tailIds.ts';

/** Some rows as they are sent. */
export interface TailChunk {
  readonly rows: readonly TailRow[];
  readonly bytes: Buffer;
}

/** A chunk ends with the row that makes it this long, in characters. */
const chunkChars = 16 * 1024;

/** Rows that several tails get, written once for each form. */
export class TailBatch {
  readonly rows: readonly TailRow[];
  /** The place up to which they are complete. */
  readonly end: TailPlace;
  readonly #idOf: (place: TailPlace) => string;
  readonly #written = new Map<TailWriter, readonly TailChunk[]>();

  constructor({ rows, end }: Pick<TailBatch, 'rows' | 'end'>, idOf: (place: TailPlace) => string) {
    this.rows = rows;
    this.end = end;
    this.#idOf = idOf;
  }

  /** The rows after a place, in chunks. */
  *chunks(writer: TailWriter, after: TailPlace): Iterable<TailChunk> {
    const written = this.#written.get(writer) ?? chunksOf(this.rows, writer, this.#idOf);
    this.#written.set(writer, written);
    for (const chunk of written) {
      const [first] = chunk.rows;
      if (first !== undefined && isAfter(first.place, after)) yield chunk;
      else yield* chunksOf(rowsAfter(chunk.rows, after), writer, this.#idOf);
    }
  }

  /** How many of the rows are after a place. */
  countAfter(place: TailPlace): number {
    return rowsAfter(this.rows, place).length;
  }
}

function rowsAfter(rows: readonly TailRow[], after: TailPlace): readonly TailRow[] {
  const first = rows.findIndex(({ place }) => isAfter(place, after));
  return first < 0 ? [] : first === 0 ? rows : rows.slice(first);
}

function chunksOf(
  rows: readonly TailRow[],
  writer: TailWriter,
  idOf: (place: TailPlace) => string,
): readonly TailChunk[] {
  const chunks: TailChunk[] = [];
  let text = '';
  let from = 0;
  for (const [i, { place, json }] of rows.entries()) {
    text += writer.row(idOf(place), json);
    if (text.length < chunkChars && i < rows.length - 1) continue;
    chunks.push({ rows: rows.slice(from, i + 1), bytes: Buffer.from(text) });
    text = '';
    from = i + 1;
  }
  return chunks;
}
