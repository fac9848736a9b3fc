import { changeCount } from '../../core/changeCount.ts';
import type { CommittedEvents } from '../../ports/eventLog.ts';
import type { TailPlan } from './tailPlan.ts';

/** What the events of a range of arrival numbers take. */
interface Span {
  /** Exclusive. */
  readonly after: number;
  /** Inclusive. */
  to: number;
  /** About how many bytes. */
  total: number;
  /** The same by source. */
  readonly sources: Map<string, SourceBytes>;
}

interface SourceBytes {
  total: number;
  readonly projects: Map<string, number>;
}

type Costed = Pick<TailPlan, 'tailed' | 'wakes' | 'shareable'>;

/** Commits are remembered together up to this size, because such events are cheap to read at once. */
const spanBytesMin = 64 * 1024;
const spansMax = 4096;

/**
 * Most that one read may cost: bytes of its events times expressions of the conditions that are computed for them. The engine
 * computes the conditions of up to 2048 events before it looks whether the read was cancelled.
 */
export const readCostMax = 512 * 1024 * 1024;

/** Most sizes that are looked up before a read, because nothing else runs meanwhile: some milliseconds. */
const lookupsMax = 250_000;

/** What reading, sorting and writing rows costs, in expressions. It keeps a single read to some 8 MB of events. */
const rowExpressions = 64;

/** Expressions of conditions whose number is not known. */
const unknownExpressions = 500;

/**
 * How large the events of the last commits are, so that no read has too much at once (decision 92). Others, such as those of
 * other nodes, are taken for small ones; `ReadSize` reads fewer if they are not.
 */
export class EventSizes {
  #spans: Span[] = [];

  /** Notes what a commit added, which has the numbers after `after` up to `to`. */
  add(after: number, to: number, commit: readonly CommittedEvents[]): void {
    const last = this.#spans.at(-1);
    const added = bytesIn(commit);
    const isNext = last?.to === after && Math.max(last.total, added) < spanBytesMin;
    const span: Span = isNext ? last : { after, to, total: 0, sources: new Map() };
    if (!isNext) this.#spans.push(span);
    span.to = to;
    span.total += added;
    for (const { source, projects } of commit) {
      const ofSource = span.sources.get(source) ?? { total: 0, projects: new Map<string, number>() };
      span.sources.set(source, ofSource);
      for (const [project, bytes] of projects) {
        ofSource.total += bytes;
        changeCount(ofSource.projects, project, bytes);
      }
    }
    // Now and then, because a list is cut at its beginning.
    if (this.#spans.length > 2 * spansMax) this.#spans = this.#spans.slice(-spansMax);
  }

  /**
   * The last number, at most `to`, up to which one statement may read these tails after a number: at least the next one. It is
   * lower if there are too many sizes to look up.
   */
  lastOf(tails: readonly Costed[], after: number, to: number): number {
    let left = readCostMax;
    let lookups = 0;
    const lookupsOfSpan = lookupsFor(tails);
    for (const { from, end, cost } of this.#parts(tails, after, to)) {
      const numbers = Math.floor(left / cost);
      if (numbers < end - from) return Math.max(from + numbers, after + 1);
      left -= (end - from) * cost;
      lookups += lookupsOfSpan;
      if (lookups >= lookupsMax) return end;
    }
    return to;
  }

  /**
   * What it costs to read these tails after a number up to another one, as far as it is known: see `readCostMax`. The other one
   * must come from `lastOf`, which bounds the sizes that are looked up.
   */
  costOf(tails: readonly Costed[], after: number, to: number): number {
    let sum = 0;
    for (const { from, end, cost } of this.#parts(tails, after, to)) sum += (end - from) * cost;
    return sum;
  }

  /** The known numbers in parts, each with its last number and what a number costs. */
  *#parts(tails: readonly Costed[], after: number, to: number) {
    const first = this.#spans.findLastIndex((span) => span.after <= after);
    for (const span of this.#spans.slice(Math.max(0, first))) {
      if (span.after >= to) return;
      const numbers = span.to - span.after;
      const cost = costOf(tails, (tail) => bytesFor(tail, span) / numbers);
      if (span.to > after) yield { from: Math.max(after, span.after), end: Math.min(span.to, to), cost };
    }
  }
}

/** What an event costs to read for some tails, of which each finds `bytesOf` bytes in it. */
function costOf(tails: readonly Costed[], bytesOfEvent: (tail: Costed) => number): number {
  let most = 0;
  let computed = 0;
  for (const tail of tails) {
    const bytes = bytesOfEvent(tail);
    most = Math.max(most, bytes);
    computed += bytes * (tail.shareable?.size ?? unknownExpressions);
  }
  return most * rowExpressions + computed;
}

/** Bytes of the events that may be rows of a tail. */
function bytesFor({ tailed, wakes }: Costed, { sources }: Span): number {
  let sum = 0;
  for (const source of tailed.sources) {
    const known = sources.get(source);
    if (known === undefined) continue;
    if (wakes === null) sum += known.total;
    else for (const project of wakes) sum += known.projects.get(project) ?? 0;
  }
  return sum;
}

/** Sizes that `bytesFor` looks up in a span for some tails. */
function lookupsFor(tails: readonly Costed[]): number {
  let sum = 0;
  for (const { tailed, wakes } of tails) sum += tailed.sources.size * (1 + (wakes?.length ?? 0));
  return sum;
}

function bytesIn(commit: readonly CommittedEvents[]): number {
  let sum = 0;
  for (const { projects } of commit) for (const bytes of projects.values()) sum += bytes;
  return sum;
}
