import { Pause, type Turns } from '../../core/concurrency/turns.ts';
import { ServiceError } from '../../core/errors.ts';
import { hasMembersLeftOut, isJsonObject, type JsonObject, type JsonValue, memberNames } from '../../core/jsonValue.ts';
import { writeJson } from '../../core/writeJson.ts';
import { parseValues, type SentEvent, tooManyEvents } from '../decode.ts';
import { membersTooMany } from '../eventSize.ts';
import { quoteValue } from '../quoteValue.ts';
import { rejected } from '../rejection.ts';
import { logEvent } from './logEvent.ts';
import { BadRecord, type LogOrigin, type LogRecord, type Origin, type Step } from './logRecord.ts';
import type { OtlpFormat } from './otlpFormat.ts';
import { findJsonRecords, readJsonRecord, sentBytes } from './readJson.ts';
import { findRecords, readLogRecord } from './readProtobuf.ts';

export interface OtlpLimits {
  readonly eventsMax: number;
  /** Maximum bytes of one record as sent. */
  readonly eventBytesMax: number;
  /** Maximum bytes of all records, counting resource and scope for each. */
  readonly expandedBytesMax: number;
}

export interface DecodedExport {
  readonly events: readonly SentEvent[];
  /** A remark for the sender about a request that has no errors; a sentence or two. */
  readonly warning?: string;
}

/**
 * Reads the log records of an ExportLogsServiceRequest as events, in order (streams.md, row "OTLP").
 *
 * @throws ServiceError `request.malformed` with the place, `ingest.too_many_events`, `request.too_large`.
 */
export async function decodeOtlp(
  body: Uint8Array,
  format: OtlpFormat,
  limits: OtlpLimits,
  turns?: Turns,
): Promise<DecodedExport> {
  const pause = new Pause(turns);
  const gathering = new Gathering(limits, pause);
  let warning: string | undefined;
  try {
    if (format === 'otlp_json') {
      const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
      const membersMax = membersTooMany(limits.eventBytesMax);
      const values = await parseValues(bytes, 1, { membersMax }, pause);
      refuseCut(values[0], membersMax);
      await gatherJson(values, gathering, limits);
      warning = foreignRequest(values[0]);
    } else await gatherProtobuf(body, gathering, limits);
  } catch (error) {
    if (!(error instanceof BadRecord)) throw error;
    throw new ServiceError('request.malformed', `The body is not an OTLP export: ${error.message}.`, { cause: error });
  }
  return { events: gathering.events, ...(warning === undefined ? {} : { warning }) };
}

/** The member with the log records may be among those that were cut. */
function refuseCut(request: JsonValue | undefined, membersMax: number): void {
  if (!isJsonObject(request) || !hasMembersLeftOut(request)) return;
  throw new BadRecord(`the request has more than ${membersMax} members; it needs one, resourceLogs`);
}

const namesShownMax = 5;

/**
 * The remark for a request that has members, but none for log records. It is not an error, because the protocol ignores
 * unknown members.
 */
function foreignRequest(request: JsonValue | undefined): string | undefined {
  if (!isJsonObject(request) || Object.hasOwn(request, 'resourceLogs')) return undefined;
  const names = memberNames(request).slice(0, namesShownMax).map(quoteValue);
  if (names.length === 0) return undefined;
  return `The request has no member resourceLogs, which contains the log records of OTLP, so nothing was stored; it has ${names.join(', ')}. Send JSON events to /api/logs.`;
}

async function gatherProtobuf(body: Uint8Array, gathering: Gathering, { eventBytesMax }: OtlpLimits): Promise<void> {
  let offset = 0;
  try {
    for (const found of findRecords(body, eventBytesMax)) {
      if (found.kind === 'resource') gathering.beginResource(found.resource);
      else if (found.kind === 'scope') gathering.beginScope(found.scope);
      else if (found.kind === 'step') gathering.work(found.work);
      else {
        offset = found.offset;
        const reading = gathering.add(found.bytes.length, () => readLogRecord(found.bytes));
        if (reading !== undefined) await reading;
      }
      if (gathering.isPauseDue()) await gathering.pause();
    }
  } catch (error) {
    if (error instanceof ServiceError || error instanceof BadRecord) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ServiceError(
      'request.malformed',
      `The body is not a complete, valid ExportLogsServiceRequest in protobuf (at byte ${offset + 1} or later): ${reason}.`,
      { errors: [{ message: reason }], cause: error },
    );
  }
}

async function gatherJson(
  values: readonly JsonValue[],
  gathering: Gathering,
  { eventBytesMax }: OtlpLimits,
): Promise<void> {
  const [request = null] = values;
  if (values.length > 1) throw new BadRecord('it holds several JSON values; send one in each request');
  for (const found of findJsonRecords(request, jsonFactor * eventBytesMax)) {
    if (found.kind === 'resource') gathering.beginResource(found.resource);
    else if (found.kind === 'scope') gathering.beginScope(found.scope);
    else if (found.kind === 'step') gathering.work(found.work);
    else {
      const sent = sentBytes(found.value, jsonFactor * eventBytesMax);
      const isLarge = sent > jsonFactor * eventBytesMax;
      const reading = gathering.add(isLarge ? sent : recordBytes, () => readJsonRecord(found.value, found.place));
      if (reading !== undefined) await reading;
    }
    if (gathering.isPauseDue()) await gathering.pause();
  }
}

/** `sentBytes` counts less than twice what an event stores of it. */
const jsonFactor = 2;

/** The overhead of a record. In JSON, the body size already bounds it. */
const recordBytes = 200;

/** Collects the events of a request within the limits. */
class Gathering {
  readonly events: SentEvent[] = [];
  readonly #limits: OtlpLimits;
  readonly #pause: Pause;
  #origin: LogOrigin = { resource: null, scope: null };
  #resourceBytes = 0;
  #originBytes = 0;
  #originCount = 0;
  #bytes = 0;
  #work = 0;

  constructor(limits: OtlpLimits, pause: Pause) {
    this.#limits = limits;
    this.#pause = pause;
  }

  beginResource(resource: Origin): void {
    this.#resourceBytes = this.#sizeOf(resource);
    this.#begin({ resource: objectOf(resource), scope: null }, 0);
  }

  beginScope(scope: Origin): void {
    this.#begin({ ...this.#origin, scope: objectOf(scope) }, this.#sizeOf(scope));
  }

  /** Returns a promise if reading the record takes more than a turn. */
  add(bytes: number, read: () => Generator<Step, LogRecord>): Promise<void> | undefined {
    const { eventsMax, eventBytesMax, expandedBytesMax } = this.#limits;
    if (this.events.length === eventsMax) throw tooManyEvents(eventsMax);
    // Every record is stored with its resource and scope, so that few bytes can become very many.
    const isOriginTooLarge = this.#originBytes > eventBytesMax;
    if (!isOriginTooLarge) this.#bytes += this.#originBytes + bytes;
    this.#work += recordBytes + (isOriginTooLarge ? 0 : this.#originBytes);
    if (this.#bytes > expandedBytesMax) throw tooLarge(expandedBytesMax);
    if (bytes > eventBytesMax || isOriginTooLarge) {
      const what = isOriginTooLarge ? 'The resource and scope of the log record have' : 'The log record has';
      const count = isOriginTooLarge ? this.#originBytes : bytes;
      this.events.push(rejected('event.too_large', `${what} ${count} bytes; at most ${eventBytesMax} are allowed.`));
      return undefined;
    }
    try {
      const steps = read();
      const first = steps.next();
      if (first.done !== true) return this.#addInSteps(steps, first.value);
      this.#push(first.value);
    } catch (error) {
      this.#reject(error);
    }
    this.#work += bytes;
    return undefined;
  }

  async #addInSteps(steps: Generator<Step, LogRecord>, first: Step): Promise<void> {
    try {
      this.work(first.work);
      for (let next = steps.next(); ; next = steps.next()) {
        if (next.done === true) return this.#push(next.value);
        this.work(next.value.work);
        if (this.isPauseDue()) await this.pause();
      }
    } catch (error) {
      this.#reject(error);
    }
  }

  #push(record: LogRecord): void {
    this.events.push({ kind: 'value', value: logEvent(record, this.#origin) });
  }

  #reject(error: unknown): void {
    if (!(error instanceof BadRecord)) throw error;
    this.events.push(rejected('event.malformed', `The log record cannot be stored: ${error.message}.`));
  }

  /** Records work on this many bytes. */
  work(bytes: number): void {
    this.#work += bytes;
  }

  isPauseDue(): boolean {
    const work = this.#work;
    this.#work = 0;
    return this.#pause.isDue(work);
  }

  /** Lets other work run. */
  pause(): Promise<void> {
    return this.#pause.take();
  }

  #begin(origin: LogOrigin, scopeBytes: number): void {
    this.#origin = origin;
    this.#originBytes = this.#resourceBytes + scopeBytes;
    // A resource or scope without records is valid, but this many of them are not a sensible request.
    if (++this.#originCount > 2 * this.#limits.eventsMax) throw tooManyEvents(this.#limits.eventsMax);
  }

  #sizeOf(origin: Origin): number {
    this.#work += recordBytes;
    if (origin.kind === 'too_large') return origin.bytes;
    const bytes = origin.object === null ? 0 : Buffer.byteLength(writeJson(origin.object));
    this.#work += bytes;
    return bytes;
  }
}

function objectOf(origin: Origin): JsonObject | null {
  return origin.kind === 'read' ? origin.object : null;
}

function tooLarge(bytesMax: number): ServiceError {
  return new ServiceError(
    'request.too_large',
    `Each log record is stored with its resource and scope, so this request exceeds the limit of ${bytesMax} bytes; nothing was stored. Send fewer log records per request.`,
  );
}
