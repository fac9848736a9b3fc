import type { Notice } from '../googlesql/resolve/tree.ts';
import { type ShapeInput, wholeMeta, writtenNotice } from '../invoke/answerBody.ts';
import { columnsOf } from '../invoke/formattedBody.ts';
import type { AnswerPart } from '../invoke/invoke.ts';
import type { TruncatedBy } from '../invoke/rowLimit.ts';
import type { ExportResult } from './exportRecord.ts';

/** Different notices that are kept. */
const noticesMax = 100;

/** Puts the parts of an answer together: what `meta` says about them, as if they had been one answer. */
export class JoinedParts {
  readonly #parts: number[] = [];
  readonly #notices = new Map<string, Notice>();
  readonly #counts: Record<string, number> = {};
  #first: AnswerPart['shape'] | null = null;
  #last: AnswerPart['shape'] | null = null;
  #rows = 0;
  #bytes = 0;
  #elapsedMs = 0;
  #rowsScanned: number | null = 0;

  get rows(): number {
    return this.#rows;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add({ shape, rows }: Pick<AnswerPart, 'shape' | 'rows'>): void {
    const { result, notices, redaction } = shape;
    this.#first ??= shape;
    this.#last = shape;
    this.#parts.push(rows.byteLength);
    this.#rows += result.rowCount;
    this.#bytes += rows.byteLength;
    this.#elapsedMs += result.elapsedMs;
    this.#rowsScanned =
      this.#rowsScanned === null || result.rowsScanned === null ? null : this.#rowsScanned + result.rowsScanned;
    for (const notice of notices) {
      if (this.#notices.size >= noticesMax) break;
      this.#notices.set(JSON.stringify(writtenNotice(notice)), notice);
    }
    for (const [kind, count] of Object.entries(redaction.counts))
      this.#counts[kind] = (this.#counts[kind] ?? 0) + count;
  }

  /** `truncatedBy`: the limit of exports that cut the result; null if none did. */
  result(requestId: string, truncatedBy: TruncatedBy | null): ExportResult {
    const [first, last] = [this.#first, this.#last];
    if (first === null || last === null) throw new Error('a result has no part');
    const { endpoint, query, cache } = first;
    const cutBy = truncatedBy ?? last.truncatedBy;
    const whole: ShapeInput = {
      endpoint,
      query,
      cache,
      requestId,
      result: { ...last.result, rowCount: this.#rows, elapsedMs: this.#elapsedMs, rowsScanned: this.#rowsScanned },
      truncatedBy: cutBy,
      notices: [...this.#notices.values()],
      redaction: { applied: first.redaction.applied, counts: this.#counts },
    };
    return {
      columns: columnsOf(query),
      parts: this.#parts,
      meta: wholeMeta(whole),
      asOfMicros: cache.asOfMicros,
      truncatedBy: cutBy,
    };
  }
}
