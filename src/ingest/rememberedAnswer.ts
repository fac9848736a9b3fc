import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type IngestAnswer, ingestAnswer } from './ingestAnswer.ts';
import { type Rejection, type RejectionCode, rejectionCatalogue } from './rejection.ts';

/** Rejections kept with their messages, for every batch of the last quarter of an hour: how many, and in characters of JSON. */
const remembered = { countMax: 20, charsMax: 1024 } as const;

/** What is kept of an answer for a retry. It takes few bytes, because it stays in memory. */
export interface RememberedAnswer extends IngestAnswer {
  /** The indexes of the rejections that `rejected` does not list, by code, as `packed` writes them. */
  readonly others?: Readonly<Partial<Record<RejectionCode, string>>>;
}

export function rememberedAnswer(accepted: number, rejections: readonly Rejection[]): RememberedAnswer {
  let chars = 0;
  let count = 0;
  for (const rejection of rejections.slice(0, remembered.countMax)) {
    chars += JSON.stringify(rejection).length;
    if (chars > remembered.charsMax) break;
    count += 1;
  }
  const answer = ingestAnswer(accepted, rejections, count);
  if (count === rejections.length) return answer;
  const indexesByCode = new Map<RejectionCode, number[]>();
  for (const { code, index } of rejections.slice(count)) {
    const indexes = indexesByCode.get(code);
    if (indexes === undefined) indexesByCode.set(code, [index]);
    else indexes.push(index);
  }
  const others = Object.fromEntries([...indexesByCode].map(([code, indexes]) => [code, packed(indexes)]));
  return { ...answer, others };
}

/**
 * All rejections of the first request with a batch, by their index; null if an earlier version of the service remembered
 * only some. `now` are those that its retry would have: they have the same messages, except of events that are judged
 * otherwise by now.
 */
export function firstRejections(
  { rejected, rejected_total: total = rejected.length, others }: RememberedAnswer,
  now: readonly Rejection[],
): readonly Rejection[] | null {
  if (others === undefined) return total === rejected.length ? rejected : null;
  const nowByIndex = new Map(now.map((rejection) => [rejection.index, rejection]));
  const more = Object.entries(others).flatMap(([name, indexes]) => {
    const code = name as RejectionCode;
    const message = `This event was rejected when the batch was sent first. ${rejectionCatalogue[code]}`;
    return unpacked(indexes).map((index): Rejection => {
      const same = nowByIndex.get(index);
      return same?.code === code ? same : { index, code, message };
    });
  });
  return [...rejected, ...more].sort((a, b) => a.index - b.index);
}

/** Rising numbers as text: the differences, with seven bits to a byte, compressed. Far less than a bit for each if they are regular. */
function packed(indexes: readonly number[]): string {
  const bytes: number[] = [];
  let before = 0;
  for (const index of indexes) {
    let left = index - before;
    for (; left > 0x7f; left >>>= 7) bytes.push((left & 0x7f) | 0x80);
    bytes.push(left);
    before = index;
  }
  return deflateRawSync(Uint8Array.from(bytes)).toString('base64');
}

function unpacked(text: string): readonly number[] {
  const indexes: number[] = [];
  let before = 0;
  let left = 0;
  let shift = 0;
  for (const byte of inflateRawSync(Buffer.from(text, 'base64'))) {
    left |= (byte & 0x7f) << shift;
    shift += 7;
    if (byte > 0x7f) continue;
    before += left;
    indexes.push(before);
    left = 0;
    shift = 0;
  }
  return indexes;
}
