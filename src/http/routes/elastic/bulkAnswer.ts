import { Pause, type Turns } from '../../../core/concurrency/turns.ts';
import { errorCatalogue } from '../../../core/errorCatalogue.ts';
import type { BulkItem } from '../../../ingest/bulk/bulkProtocol.ts';
import type { EventOutcomes } from '../../../ingest/storeBatch.ts';
import { badDataStatus } from '../../badDataStatus.ts';

/** Elasticsearch has no longer ones. */
const idCharsMax = 512;

/** The answer to a `_bulk` request, as JSON: the status of each item, in order. */
export async function bulkAnswer(
  items: readonly BulkItem[],
  { rejections, failures }: EventOutcomes,
  tookMs: number,
  turns: Turns,
): Promise<string> {
  const pause = new Pause(turns);
  const rejected = new Map(rejections.map((rejection) => [rejection.index, rejection]));
  const parts: string[] = [];
  for (const [place, { action, index, id }] of items.entries()) {
    const named = {
      ...(index === undefined ? {} : { _index: index }),
      ...(id === undefined ? {} : { _id: id.slice(0, idCharsMax) }),
    };
    const rejection = rejected.get(place);
    const failure = failures.get(place);
    const item =
      failure !== undefined
        ? {
            ...named,
            status: badDataStatus(errorCatalogue[failure.code].status),
            error: { type: failure.code, reason: failure.message },
          }
        : rejection !== undefined
          ? { ...named, status: 400, error: { type: rejection.code, reason: rejection.message } }
          : { ...named, result: 'created', status: 201 };
    const text = JSON.stringify({ [action]: item });
    parts.push(text);
    if (pause.isDue(itemWork + text.length)) await pause.take();
  }
  const hasErrors = rejected.size > 0 || failures.size > 0;
  return `{"took":${tookMs},"errors":${hasErrors},"items":[${parts.join(',')}]}`;
}

/** The fixed work per item, expressed as characters that take as long. */
const itemWork = 500;
