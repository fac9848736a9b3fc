import { ServiceError } from '../../core/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue, memberNames } from '../../core/jsonValue.ts';
import { writeJson } from '../../core/writeJson.ts';
import { parseValues, type SentEvent, tooManyEvents } from '../decode.ts';
import { Pause } from '../pause.ts';
import { quoteValue } from '../quoteValue.ts';
import { rejected } from '../rejection.ts';
import { logEvent } from './logEvent.ts';
import { BadRecord, type LogOrigin, type LogRecord } from './logRecord.ts';
import type { OtlpFormat } from './otlpFormat.ts';
import { findJsonRecords, readJsonRecord } from './readJson.ts';
import { findRecords, readLogRecord } from './readProtobuf.ts';

export interface OtlpLimits {
  readonly eventsMax: number;
  /** Bytes of one record as it was sent. */
  readonly eventBytesMax: number;
  /** Bytes of all records, each together with what its resource and scope add to it. */
  readonly expandedBytesMax: number;
}

export interface DecodedExport {
  readonly events: readonly SentEvent[];
  /** What its sender may have meant otherwise, though nothing of it is wrong; a sentence or two. */
  readonly warning?: string;
}

/**
 * Reads the log records of an ExportLogsServiceRequest as events, in their order (streams.md, row "OTLP").
 *
 * @throws ServiceError `request.malformed` with the place, `ingest.too_many_events`, `request.too_large`.
 */
export async function decodeOtlp(body: Uint8Array, format: OtlpFormat, limits: OtlpLimits): Promise<DecodedExport> {
  const gathering = new Gathering(limits);
  let warning: string | undefined;
  try {
    if (format === 'otlp_json') {
      const values = await parseValues(Buffer.from(body), 1);
      await gatherJson(values, gathering);
      warning = foreignRequest(values[0]);
    } else await gatherProtobuf(body, gathering);
  } catch (error) {
    if (!(error instanceof BadRecord)) throw error;
    throw new ServiceError('request.malformed', `The body is no export of OTLP: ${error.message}.`, { cause: error });
  }
  return { events: gathering.events, ...(warning === undefined ? {} : { warning }) };
}

const namesShownMax = 5;

/** Of a request that has members, but not the one of log records: the protocol has unknown ones passed over, so it is no error. */
function foreignRequest(request: JsonValue | undefined): string | undefined {
  if (!isJsonObject(request) || Object.hasOwn(request, 'resourceLogs')) return undefined;
  const names = memberNames(request).slice(0, namesShownMax).map(quoteValue);
  if (names.length === 0) return undefined;
  return `The request has no member resourceLogs, which holds the log records of OTLP, so nothing was stored; it has ${names.join(', ')}. Events as JSON are sent to /api/logs.`;
}

async function gatherProtobuf(body: Uint8Array, gathering: Gathering): Promise<void> {
  let offset = 0;
  try {
    for (const found of findRecords(body)) {
      if (found.kind === 'resource') gathering.beginResource(found.resource);
      else if (found.kind === 'scope') gathering.beginScope(found.scope);
      else {
        offset = found.offset;
        gathering.add(found.bytes.length, () => readLogRecord(found.bytes));
      }
      await gathering.pause();
    }
  } catch (error) {
    if (error instanceof ServiceError || error instanceof BadRecord) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ServiceError(
      'request.malformed',
      `The body is not whole, valid protobuf of an ExportLogsServiceRequest (at byte ${offset + 1} or after it): ${reason}.`,
      { errors: [{ message: reason }], cause: error },
    );
  }
}

async function gatherJson(values: readonly JsonValue[], gathering: Gathering): Promise<void> {
  const [request = null] = values;
  if (values.length > 1) throw new BadRecord('it holds several JSON values; send one in each request');
  for (const found of findJsonRecords(request)) {
    if (found.kind === 'resource') gathering.beginResource(found.resource);
    else if (found.kind === 'scope') gathering.beginScope(found.scope);
    else gathering.add(recordBytes, () => readJsonRecord(found.value, found.place));
    await gathering.pause();
  }
}

/** What a record costs besides its own bytes; of JSON the body bounds those already. */
const recordBytes = 200;

/** The events of a request as they are found, within the bounds. */
class Gathering {
  readonly events: SentEvent[] = [];
  readonly #limits: OtlpLimits;
  readonly #pause = new Pause();
  #origin: LogOrigin = { resource: null, scope: null };
  #resourceBytes = 0;
  #originBytes = 0;
  #originCount = 0;
  #bytes = 0;
  #work = 0;

  constructor(limits: OtlpLimits) {
    this.#limits = limits;
  }

  beginResource(resource: JsonObject | null): void {
    this.#resourceBytes = this.#sizeOf(resource);
    this.#begin({ resource, scope: null }, 0);
  }

  beginScope(scope: JsonObject | null): void {
    this.#begin({ ...this.#origin, scope }, this.#sizeOf(scope));
  }

  add(bytes: number, read: () => LogRecord): void {
    const { eventsMax, eventBytesMax, expandedBytesMax } = this.#limits;
    if (this.events.length === eventsMax) throw tooManyEvents(eventsMax);
    // Every record is stored with its resource and scope, so that few bytes can become very many.
    this.#bytes += this.#originBytes + bytes;
    this.#work += this.#originBytes + bytes;
    if (this.#bytes > expandedBytesMax) throw tooLarge(expandedBytesMax);
    if (bytes > eventBytesMax) {
      this.events.push(
        rejected('event.too_large', `The log record has ${bytes} bytes; at most ${eventBytesMax} are allowed.`),
      );
      return;
    }
    try {
      this.events.push({ kind: 'value', value: logEvent(read(), this.#origin) });
    } catch (error) {
      if (!(error instanceof BadRecord)) throw error;
      this.events.push(rejected('event.malformed', `The log record cannot be taken: ${error.message}.`));
    }
  }

  /** Lets others have a turn when enough was done. */
  async pause(): Promise<void> {
    const work = this.#work;
    this.#work = 0;
    if (this.#pause.isDue(work)) await this.#pause.take();
  }

  #begin(origin: LogOrigin, scopeBytes: number): void {
    this.#origin = origin;
    this.#originBytes = this.#resourceBytes + scopeBytes;
    // One that has no records is nothing; so many of them are not a request that anyone means.
    if (++this.#originCount > 2 * this.#limits.eventsMax) throw tooManyEvents(this.#limits.eventsMax);
  }

  #sizeOf(object: JsonObject | null): number {
    const bytes = object === null ? 0 : Buffer.byteLength(writeJson(object));
    this.#work += recordBytes + bytes;
    return bytes;
  }
}

function tooLarge(bytesMax: number): ServiceError {
  return new ServiceError(
    'request.too_large',
    `Each log record is stored with its resource and scope, which makes this request more than the ${bytesMax} bytes that are allowed; nothing was stored. Send fewer log records in a request.`,
  );
}
