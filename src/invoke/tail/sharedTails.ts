import { ServiceError } from '../../core/errors.ts';
import { keyName } from '../../googlesql/plan/pageKeys.ts';
import { type SharedQuery, sharedTailQuery } from '../../googlesql/plan/sharedTail.ts';
import type { QueryResult } from '../../ports/queryEngine.ts';
import { rowSlices } from '../../redact/rowSlices.ts';
import type { TokenRunner } from '../queryQueue.ts';
import { redactedFailure } from '../redaction.ts';
import { runQuery } from '../run.ts';
import { StageTimes } from '../stageTimes.ts';
import { partyOf } from './apartTails.ts';
import type { EventSizes } from './eventSizes.ts';
import type { ReadPart } from './readSize.ts';
import {
  type InPlace,
  placed,
  type ReadTailServices,
  readGraceMs,
  readQueueMsMax,
  shownRows,
  type TailBounds,
  type TailRows,
} from './readTail.ts';
import { ReadUnit } from './readUnit.ts';
import { type TailPlace, wholeEvent } from './tailIds.ts';
import { commonRunner, type TailPlan } from './tailPlan.ts';

/**
 * More tails would take long to plan and to prepare: their number, and that of their projects and of the expressions in
 * their conditions.
 */
const membersMax = 128;
const sizeMax = 3200;

/**
 * Time after which the tails of each token are read apart: the reason may be one of them, for which the others must not wait.
 * Preparing the statement alone takes a second if other processes want the same cores.
 */
const togetherMsMax = 2000;

/** After so many slow reads in a row, parts are read: a few only tell that the machine is busy. */
const slowReadsMin = 3;
const slowReadsLimit = 192;

const sizeOf = ({ shareable, request: { projects } }: TailPlan): number =>
  (shareable?.size ?? 0) + (projects?.length ?? 0);

/** What a statement for several tails was written for. */
interface Statement extends SharedQuery {
  readonly members: readonly TailPlan[];
  /** The projects of all; null if they may read every project. */
  readonly projects: readonly string[] | null;
}

/** Tails of one kind, which are read with one statement. */
export class SharedTails {
  readonly kind: string;
  readonly unit = new ReadUnit();
  readonly #tenant: string;
  readonly #abort = new AbortController();
  #members: readonly TailPlan[];
  /** That for the members; null if they changed. */
  #statement: Statement | null = null;
  /** The members of each party, as far as they were read apart. */
  #parts = new Map<string, SharedTails>();
  #inPartsUntilMs = Number.NEGATIVE_INFINITY;
  #slowReads = 0;
  #slowReadsMax = slowReadsMin;
  /** How many reads of parts there are now. */
  #partsReading = 0;

  /** `tenant` is one of its own, as if its tails were read alone. */
  constructor(kind: string, tenant: string, members: readonly TailPlan[] = []) {
    this.kind = kind;
    this.#tenant = tenant;
    this.#members = members;
  }

  /**
   * Equal for tails that can be read together: they differ only in their conditions, and in the projects to which they are
   * held. Null if the tail can only be read alone.
   */
  static kindOf({ shareable, request }: TailPlan): string | null {
    if (shareable === null) return null;
    const { projects, redaction, profile } = request;
    return JSON.stringify([projects === null, redaction, profile, shareable.key]);
  }

  get members(): readonly TailPlan[] {
    return this.#members;
  }

  /** Aborts when the last member is removed. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The token of the members, if all have the same. */
  get runner(): TokenRunner {
    return commonRunner(
      this.#members.map(({ runner }) => runner),
      this.#tenant,
    );
  }

  hasRoomFor(plan: TailPlan): boolean {
    const size = [plan, ...this.#members].reduce((sum, each) => sum + sizeOf(each), 0);
    return this.#members.length < membersMax && size <= sizeMax;
  }

  add(plan: TailPlan): void {
    this.#setMembers([...this.#members, plan]);
  }

  remove(plan: TailPlan): void {
    this.#setMembers(this.#members.filter((each) => each !== plan));
    if (this.#members.length > 0) return;
    this.#abort.abort(new ServiceError('query.cancelled', 'The last of these tails was closed.'));
  }

  #setMembers(members: readonly TailPlan[]): void {
    this.#members = members;
    this.#statement = null;
    this.#parts = new Map();
  }

  /** The members of a party (`partyOf`), with a statement of their own. */
  part(party: string): SharedTails {
    const members = this.#members.filter((member) => partyOf(member) === party);
    const known = this.#parts.get(party);
    const isKnown = known?.members.length === members.length && members.every((each, i) => each === known.members[i]);
    const part = isKnown ? known : new SharedTails(this.kind, this.#tenant, members);
    this.#parts.set(party, part);
    return part;
  }

  /** Whether its parts are to be read next: because of `readInParts`, or to find those that make all slow, and while this goes on. */
  isInParts(nowMs: number): boolean {
    return this.#partsReading > 0 || nowMs < this.#inPartsUntilMs || this.#slowReads >= this.#slowReadsMax;
  }

  /** Returns what to call when the parts were read. */
  beginParts(): () => void {
    this.#partsReading += 1;
    return () => {
      this.#partsReading -= 1;
    };
  }

  readInParts(untilMs: number): void {
    this.#inPartsUntilMs = untilMs;
  }

  /** Notes a read of all. */
  noteRead(isSlow: boolean): void {
    this.#slowReads = isSlow ? this.#slowReads + 1 : 0;
  }

  /** Notes that the parts were read, and whether that told which of them are slow. If not, it is tried more rarely. */
  noteParts(isFound: boolean): void {
    this.#slowReads = 0;
    this.#slowReadsMax = isFound ? slowReadsMin : Math.min(slowReadsLimit, 2 * this.#slowReadsMax);
  }

  statement(): Statement {
    this.#statement ??= statementOf(this.#members);
    return this.#statement;
  }
}

function statementOf(members: readonly TailPlan[]): Statement {
  const [first, ...others] = members.flatMap(({ shareable, request: { projects } }) =>
    shareable === null ? [] : [{ tail: shareable, projects }],
  );
  if (first === undefined) throw new Error('no tails are read together');
  const projects = [first, ...others].flatMap((each) => each.projects ?? []);
  return {
    ...sharedTailQuery([first, ...others]),
    members,
    projects: first.projects === null ? null : [...new Set(projects)].sort(),
  };
}

/** A tail whose rows are asked for: those after a whole event, up to an arrival number. */
export interface AskedRows {
  readonly plan: TailPlan;
  readonly from: TailPlace;
  readonly to: number;
}

/** What a read of several tails has for each that was asked for. */
export interface TogetherRows {
  /**
   * They are redacted by themselves, because none waits for the redaction of others. Null for a tail that was not read, because
   * it left the others meanwhile.
   */
  readonly rows: readonly (Promise<TailRows> | null)[];
  /** How much of the bounds the rows of each take; null if the rows of all are not more than the bounds. */
  readonly shares: readonly number[] | null;
}

/**
 * Reads the rows of several tails with one statement, up to a lower number if all are too much. Null if the rows of one event
 * do not fit into the bounds, or are too many to fetch. Throws the errors of a run, which may be those of any of them.
 */
export async function readTogether(
  shared: SharedTails,
  asked: readonly AskedRows[],
  bounds: TailBounds,
  services: ReadTailServices,
  sizes: EventSizes,
  inPlace: InPlace,
): Promise<TogetherRows | null> {
  const after = Math.min(...asked.map(({ from }) => from.arrival));
  const last = Math.max(...asked.map(({ to }) => to));
  try {
    const read = (to: number) => inPlace((stopped) => readRange(shared, { after, to }, bounds, stopped, services));
    const most = sizes.lastOf(shared.members, after, last);
    const { members, rows, end, isCut, isFull, firstArrival } = await shared.unit.size.read(after, last, read, most);
    if (isCut && firstArrival > end.arrival) return null;
    const own = asked.map(({ plan }) => rows.get(plan) ?? []);
    return {
      rows: asked.map((each, i) =>
        members.includes(each.plan) ? rowsOf(each, own[i] ?? [], end.arrival, shared, services) : null,
      ),
      shares: isFull ? own.map((each) => shareOf(each, bounds)) : null,
    };
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'query.fetch_max') return null;
    throw error;
  }
}

/** How much of the bounds some rows take. */
function shareOf(rows: readonly Row[], { rowsMax, bytesMax }: TailBounds): number {
  return rows.length / rowsMax + rows.reduce((sum, { json }) => sum + json.length, 0) / bytesMax;
}

interface RangeRows extends ReadPart {
  readonly members: readonly TailPlan[];
  readonly rows: ReadonlyMap<TailPlan, readonly Row[]>;
  readonly firstArrival: number;
  /** Whether it is cut because the rows are as many as the bounds allow. */
  readonly isFull: boolean;
}

async function readRange(
  shared: SharedTails,
  arrivals: { readonly after: number; readonly to: number },
  { rowsMax, bytesMax }: TailBounds,
  stopped: () => void,
  services: ReadTailServices,
): Promise<RangeRows> {
  const { query, parameters, projects, members } = shared.statement();
  const [first] = members;
  if (first === undefined) throw new Error('no tails are read together');
  const result = await runQuery(
    {
      token: shared.runner,
      endpoint: first.endpoint,
      request: () => ({
        ...first.request,
        query,
        parameters,
        projects,
        arrivals,
        rowsMax,
        bytesMax,
        nowMicros: services.clock.nowMicros(),
        hasRowKeys: true,
      }),
      timeoutMs: Math.min(togetherMsMax, ...members.map(({ timeoutMs }) => timeoutMs)),
      queueMsMax: readQueueMsMax,
      graceMs: readGraceMs,
      requestIds: members.flatMap(({ requestIds }) => requestIds),
      stopped,
      callerSignal: shared.signal,
      times: new StageTimes(() => services.timer.nowMs()),
    },
    services,
  );
  const { rows, firstArrival, lastArrival } = rowsOfMembers(result, members);
  // The rows of the last event may not be complete.
  const isCut = result.hasMore || result.cutByBytes;
  return {
    members,
    rows,
    firstArrival,
    end: { arrival: isCut ? lastArrival - 1 : arrivals.to, row: wholeEvent },
    isCut,
    isFull: isCut,
  };
}

interface Row {
  readonly arrival: number;
  readonly json: string;
}

async function rowsOf(
  { plan, from, to }: AskedRows,
  all: readonly Row[],
  complete: number,
  { signal }: SharedTails,
  services: ReadTailServices,
): Promise<TailRows> {
  const end = Math.max(from.arrival, Math.min(complete, to));
  const own = all.filter(({ arrival }) => arrival > from.arrival && arrival <= end);
  const texts = own.map(({ json }) => json);
  const isShownAsRead = !plan.isRedacted || own.length === 0;
  try {
    const shown = isShownAsRead ? texts : await shownRows(plan, Buffer.from(texts.join(',')), signal, services);
    const arrivals = own.map(({ arrival }) => arrival);
    return { rows: placed(arrivals, shown), end: { arrival: end, row: wholeEvent }, isCut: end < to };
  } catch (error) {
    throw plan.isRedacted ? redactedFailure(error, services.redactor) : error;
  }
}

/**
 * The rows of each member. The statement selects them; this checks once more, with the projects of the member itself, that no
 * row stems from an event that it may not read.
 */
function rowsOfMembers(
  { rows, rowKeys = [] }: QueryResult,
  members: readonly TailPlan[],
): {
  readonly rows: ReadonlyMap<TailPlan, readonly Row[]>;
  readonly firstArrival: number;
  readonly lastArrival: number;
} {
  const texts = [...rowSlices(rows, 1)];
  if (texts.length !== rowKeys.length) throw new Error('tails were read without the keys of each row');
  const found = new Map<TailPlan, Row[]>();
  const arrivals: number[] = [];
  for (const [i, json] of texts.entries()) {
    const { arrival, project, tails } = keysOf(rowKeys[i] ?? '{}');
    arrivals.push(arrival);
    if (tails.length !== members.length) throw new Error('tails were read without their rows');
    for (const [index, member] of members.entries()) {
      if (tails[index] === '') continue;
      const { projects } = member.request;
      if (projects !== null && !projects.includes(project)) throw new Error('a row of another project was read');
      const own = found.get(member) ?? [];
      found.set(member, own);
      own.push({ arrival, json });
    }
  }
  return { rows: found, firstArrival: arrivals.at(0) ?? 0, lastArrival: arrivals.at(-1) ?? 0 };
}

/** Reads the page keys of `sharedTailQuery`. */
function keysOf(text: string) {
  const keys = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const [arrival, project, tails] = [0, 1, 2].map((i) => keys[keyName(i)]);
  if (typeof arrival !== 'number' || typeof project !== 'string' || typeof tails !== 'string')
    throw new Error('the keys of a row are not those of tails');
  return { arrival, project, tails: tails.split(',') };
}
