import { Pause } from '../../core/concurrency/turns.ts';
import { ServiceError } from '../../core/errors.ts';
import { isJsonObject, type JsonValue, memberNames, memberOf } from '../../core/jsonValue.ts';
import { decodeLine, perLineWork, type SentEvent, tooManyEvents } from '../decode.ts';
import { withoutByteOrderMark } from '../decodeUtf8.ts';
import { eventReadingLimits } from '../eventSize.ts';
import { linesIn } from '../lines.ts';
import type { Protocol } from '../protocol.ts';
import { quoteValue } from '../quoteValue.ts';
import { rejected } from '../rejection.ts';
import type { SourceCandidate } from '../resolveSource.ts';
import { eventTerms, type SenderTerms } from '../senderTerms.ts';
import { bulkEvent } from './bulkEvent.ts';
import { requireBulkType } from './bulkType.ts';

/** One item of a `_bulk` request; its place in the list is the index of its event. */
export interface BulkItem {
  readonly action: BulkAction;
  /** The `_index` of the action, else that of the path. */
  readonly index: string | undefined;
  readonly id: string | undefined;
}

export type BulkAction = 'index' | 'create' | 'update' | 'delete';

export interface BulkBody {
  readonly protocol: Protocol;
  /** Filled by decoding the body. */
  readonly items: readonly BulkItem[];
}

const bulkTerms: SenderTerms = { ...eventTerms, id: '_id', giveProject: 'Give the document a member "project"' };

/**
 * The body of a `_bulk` request of Elasticsearch: lines of an action and its document. The index of an action names the
 * source, and its `_id` is the ID of the event.
 */
export function bulkBody(pathIndex: string | undefined): BulkBody {
  const items: BulkItem[] = [];
  const protocol: Protocol = (contentType) => {
    requireBulkType(contentType);
    return {
      terms: bulkTerms,
      async decode(body, limits, turns) {
        const { eventsMax } = limits;
        const bytes = withoutByteOrderMark(Buffer.from(body.buffer, body.byteOffset, body.byteLength));
        const options = eventReadingLimits(limits);
        const pause = new Pause(turns);
        const events: SentEvent[] = [];
        const sources = new IndexSources();
        const eventSources: (SourceCandidate | undefined)[] = [];
        let open: BulkItem | undefined;
        const add = (item: BulkItem, event: SentEvent) => {
          if (events.length === eventsMax) throw tooManyEvents(eventsMax);
          items.push(item);
          events.push(event);
          eventSources.push(sources.of(item.index));
        };
        for (const found of linesIn(bytes)) {
          if (found.kind === 'step') {
            if (pause.isDue(found.work)) await pause.take();
            continue;
          }
          const line = await decodeLine(found.bytes, found.number, options, pause);
          if (open === undefined) {
            const item = readAction(line, found.number, pathIndex);
            if (item.action === 'delete') add(item, unsupported(item));
            else open = item;
          } else {
            add(open, open.action === 'update' ? unsupported(open) : eventOf(line, open));
            open = undefined;
          }
          if (pause.isDue(perLineWork + found.bytes.length)) await pause.take();
        }
        if (open !== undefined) throw malformed('The last action has no document after it.');
        return { events, sourceName: undefined, eventSources };
      },
    };
  };
  return { protocol, items };
}

/** The candidates of the indices, so that all events of one share one. */
class IndexSources {
  readonly #byName = new Map<string, SourceCandidate>();

  of(index: string | undefined): SourceCandidate | undefined {
    if (index === undefined || index === '') return undefined;
    const candidate = this.#byName.get(index) ?? { place: 'the index', name: index };
    this.#byName.set(index, candidate);
    return candidate;
  }
}

function eventOf(line: SentEvent, { id }: BulkItem): SentEvent {
  return line.kind === 'value' ? { kind: 'value', value: bulkEvent(line.value, id) } : line;
}

function unsupported({ action }: BulkItem): SentEvent {
  return rejected(
    'event.action_unsupported',
    `Stored events do not change, so the action ${action} is not supported; send index or create.`,
  );
}

/** A wrong action fails the whole request, because nobody knows which of the next lines are documents. */
function readAction(line: SentEvent, number: number, pathIndex: string | undefined): BulkItem {
  if (line.kind === 'rejected') throw malformed(line.message);
  const { value } = line;
  const names = isJsonObject(value) ? memberNames(value) : [];
  const [name = ''] = names;
  if (!isJsonObject(value) || names.length !== 1 || !isAction(name)) {
    throw malformed(`Line ${number} is ${quoteValue(value)}; an action must be like {"index":{}} or {"create":{}}.`);
  }
  const parameters = memberOf(value, name) ?? null;
  if (parameters !== null && !isJsonObject(parameters)) {
    throw malformed(`Line ${number} has ${quoteValue(parameters)} as its ${name}; it must be an object.`);
  }
  const index = parameters === null ? null : (memberOf(parameters, '_index') ?? null);
  const id = parameters === null ? null : (memberOf(parameters, '_id') ?? null);
  if (index !== null && typeof index !== 'string') {
    throw malformed(`Line ${number} has ${quoteValue(index)} as its _index; it must be text.`);
  }
  return { action: name, index: index ?? pathIndex, id: idText(id, number) };
}

const actions: ReadonlySet<string> = new Set(['index', 'create', 'update', 'delete'] satisfies BulkAction[]);

function isAction(name: string): name is BulkAction {
  return actions.has(name);
}

/** Elasticsearch also accepts numbers, and generates an ID if it is null. */
function idText(id: JsonValue, number: number): string | undefined {
  if (id === null) return undefined;
  if (typeof id === 'string') return id;
  if (typeof id === 'number' || typeof id === 'bigint') return String(id);
  throw malformed(`Line ${number} has ${quoteValue(id)} as its _id; it must be text.`);
}

function malformed(reason: string): ServiceError {
  return new ServiceError('request.malformed', `The body is not a _bulk request: ${reason} Nothing was stored.`, {
    errors: [{ message: reason }],
  });
}
