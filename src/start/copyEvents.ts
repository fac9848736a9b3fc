import type { Clock } from '../core/clock.ts';
import { isJsonObject } from '../core/jsonValue.ts';
import { parseJson } from '../core/losslessJson.ts';
import type { ArrivalRange } from '../googlesql/plan/scanBounds.ts';
import { hotCells } from '../ingest/hotCells.ts';
import type { DayContents, EventCopies, NumberedBatch, NumberedEvent, UnnumberedPlace } from '../ports/eventCopies.ts';
import { dayMicros } from '../ports/eventCopies.ts';
import type { StoredEvent } from '../ports/eventLog.ts';
import type { Source } from '../sources/source.ts';

export interface CopyProgress {
  readonly step: 'copying' | 'comparing';
  /** Events that were copied or compared so far. */
  readonly events: number;
  /** From 0 to 1; an estimate. */
  readonly share: number;
}

export interface CopyInputs {
  readonly from: EventCopies;
  readonly into: EventCopies;
  readonly sources: readonly Source[];
  readonly clock: Clock;
  readonly progress?: (progress: CopyProgress) => void;
  /** Arrival numbers in a chunk (`EventCopies.resume`). */
  readonly chunk?: number;
}

export interface CopiedEvents {
  /** Events that this run copied. */
  readonly copied: number;
  /** Events of the source that were found equal in both stores. */
  readonly equal: number;
}

/** A day of a project whose events differ between the stores. */
export interface Difference {
  readonly source: string;
  readonly project: string;
  /** Such as `2026-11-26`. */
  readonly day: string;
  readonly events: { readonly from: number; readonly into: number };
}

/** The events of the stores differ. `differences` has the first differences that were found. */
export class EventsDiffer extends Error {
  readonly differences: readonly Difference[];

  constructor(differences: readonly Difference[]) {
    super(`the events differ: ${differences.map(differenceText).join('; ')}`);
    this.differences = differences;
  }
}

const defaultChunk = 20_000;
/** Largest write: events, and characters of their texts (one event always fits). */
const writeEventsMax = 10_000;
const writeBytesMax = 8 * 2 ** 20;
const differencesMax = 10;
/** Events that expire within this time are not compared, because one store may remove them earlier than the other. */
const agingMicros = 3_600_000_000;

/**
 * Copies events with their numbers, from the first event that the target lacks, and then compares both stores by source,
 * project and day. Then copies the identities of the batches, so that retries are recognised. A copy that was interrupted at
 * any point can be started again. Nobody else may use either store meanwhile, and the target must hold no other events.
 *
 * @throws EventsDiffer if the stores are not equal afterwards; and what the stores throw
 */
export async function copyEvents(inputs: CopyInputs): Promise<CopiedEvents> {
  const { from, into, sources, chunk = defaultChunk, progress = () => undefined } = inputs;
  const end = await from.end();
  let after = await into.resume(chunk);
  const places: Places = new Map();
  for (const source of sources) places.set(source.name, await into.unnumbered(source));
  let copied = 0;
  for (;;) {
    const next = await from.next(after);
    if (next === null || next >= end) break;
    const to = Math.min((Math.floor(next / chunk) + 1) * chunk, end) - 1;
    for await (const batches of writesOf(from, sources, { after: next - 1, to }, places)) {
      await into.write(batches);
      copied += batches.reduce((sum, { events }) => sum + events.length, 0);
      progress({ step: 'copying', events: copied, share: Math.min(next / end, 1) });
    }
    after = to;
  }
  const equal = await compareEvents(inputs, end - 1);
  for await (const identities of from.identities()) await into.remember(identities);
  // A node that started meanwhile, which the look at the beginning could not see.
  if ((await from.end()) !== end) throw new Error('a service has stored events in the source meanwhile');
  await into.finish(end);
  return { copied, equal };
}

/**
 * Compares the events of both stores up to a number by source, project and day. Returns how many events were equal.
 *
 * @throws EventsDiffer
 */
export async function compareEvents(
  { from, into, sources, clock, progress = () => undefined }: CopyInputs,
  to: number,
): Promise<number> {
  const differences: Difference[] = [];
  let events = 0;
  for (const [at, source] of sources.entries()) {
    const days = [...new Set([...(await from.days(source, to)), ...(await into.days(source, to))])].sort(
      (a, b) => a - b,
    );
    for (const [n, day] of days.entries()) {
      const nowMicros = clock.nowMicros() + agingMicros;
      const expected = await from.contents(source, day, to, nowMicros);
      const found = await into.contents(source, day, to, nowMicros);
      for (const project of new Set([...expected.keys(), ...found.keys()])) {
        const [left = nothing, right = nothing] = [expected.get(project), found.get(project)];
        events += left.events;
        if (left.events === right.events && left.checksum === right.checksum) continue;
        const counts = { from: left.events, into: right.events };
        differences.push({ source: source.name, project, day: dayText(day), events: counts });
      }
      if (differences.length >= differencesMax) throw new EventsDiffer(differences.slice(0, differencesMax));
      progress({ step: 'comparing', events, share: (at + (n + 1) / days.length) / sources.length });
    }
  }
  if (differences.length > 0) throw new EventsDiffer(differences);
  return events;
}

/** By source: the events without a number before the place are copied already. */
type Places = Map<string, UnnumberedPlace | null>;

const nothing: DayContents = { events: 0, checksum: '' };

/** The events of a range in the order of their numbers, as batches for each write. */
async function* writesOf(
  from: EventCopies,
  sources: readonly Source[],
  range: ArrivalRange,
  places: Places,
): AsyncGenerator<readonly NumberedBatch[]> {
  let batches: { source: string; first: number; events: StoredEvent[] }[] = [];
  let events = 0;
  let bytes = 0;
  for await (const { source, event } of inOrder(from, sources, range, places)) {
    const last = batches.at(-1);
    const isNext = last?.source === source.name && event.number > 0 && event.number === last.first + last.events.length;
    if (isNext) last.events.push(storedEvent(source, event));
    else batches.push({ source: source.name, first: event.number, events: [storedEvent(source, event)] });
    events += 1;
    bytes += event.eventMessage.length + (event.metadata?.length ?? 0);
    if (events < writeEventsMax && bytes < writeBytesMax) continue;
    yield batches;
    batches = [];
    events = 0;
    bytes = 0;
  }
  if (batches.length > 0) yield batches;
}

/** The next events of one source. */
interface Head {
  readonly source: Source;
  readonly pages: AsyncIterator<readonly NumberedEvent[]>;
  page: readonly NumberedEvent[];
  at: number;
}

/** Merges the events of all sources by number. */
async function* inOrder(
  from: EventCopies,
  sources: readonly Source[],
  range: ArrivalRange,
  places: Places,
): AsyncGenerator<{ readonly source: Source; readonly event: NumberedEvent }> {
  const heads: Head[] = [];
  try {
    for (const source of sources) {
      const pages = from.read(source, range, places.get(source.name) ?? null)[Symbol.asyncIterator]();
      const head: Head = { source, pages, page: [], at: 0 };
      heads.push(head);
      await refill(head);
    }
    for (;;) {
      let least: Head | null = null;
      for (const head of heads) if (numberOf(head) < numberOf(least)) least = head;
      const event = least?.page[least.at];
      if (least === null || event === undefined) return;
      yield { source: least.source, event };
      least.at += 1;
      if (least.at === least.page.length) await refill(least);
    }
  } finally {
    for (const { pages } of heads) await pages.return?.();
  }
}

function numberOf(head: Head | null): number {
  return head?.page[head.at]?.number ?? Number.POSITIVE_INFINITY;
}

/** Reads pages until one has an event. At the end of the source, the page stays empty. */
async function refill(head: Head): Promise<void> {
  head.at = 0;
  head.page = [];
  while (head.page.length === 0) {
    const { value, done } = await head.pages.next();
    if (done === true) return;
    head.page = value;
  }
}

/** The event with its typed columns, as ingestion would compute them now. */
function storedEvent({ hotColumns }: Source, event: NumberedEvent): StoredEvent {
  const { id, timestampMicros, project, eventMessage, metadata } = event;
  const parsed = metadata === null ? undefined : parseJson(metadata);
  const { values, irregular } = hotCells(isJsonObject(parsed) ? parsed : null, hotColumns);
  return { id, timestampMicros, project, eventMessage, metadata, hot: values, irregular };
}

function dayText(day: number): string {
  const date = new Date((day * dayMicros) / 1000);
  return Number.isNaN(date.getTime()) ? `day ${day} since 1970` : date.toISOString().replace(/T.*/, '');
}

function differenceText({ source, project, day, events }: Difference): string {
  const counts =
    events.from === events.into
      ? `${events.from} events with other contents`
      : `${events.from} events, not ${events.into}`;
  return `${source} of ${project} on ${day}: ${counts}`;
}
