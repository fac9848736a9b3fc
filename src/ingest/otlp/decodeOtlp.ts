import { Pause, type Turns } from '../../core/concurrency/turns.ts';
import { ServiceError } from '../../core/errors.ts';
import { isCut, isJsonObject, type JsonObject, type JsonValue, memberNames } from '../../core/jsonValue.ts';
import { BadRecord } from '../badRecord.ts';
import { type DecodedBody, parseValues } from '../decode.ts';
import { membersTooMany } from '../eventSize.ts';
import { type GatheredNames, Gathering, recordBytes } from '../gathering.ts';
import type { DecodeLimits } from '../protocol.ts';
import { quoteValue } from '../quoteValue.ts';
import { eventTerms, type SenderTerms } from '../senderTerms.ts';
import type { Step } from '../step.ts';
import { logEvent } from './logEvent.ts';
import type { LogOrigin, LogRecord, Origin } from './logRecord.ts';
import type { OtlpFormat } from './otlpFormat.ts';
import { exportReadingLimits, findJsonRecords, jsonFactor, readJsonRecord } from './readJson.ts';
import { findRecords, readLogRecord } from './readProtobuf.ts';

export const otlpTerms: SenderTerms = {
  ...eventTerms,
  emptyBatch: '{"resourceLogs":[]}',
  giveProject: 'Give the log record or its resource an attribute "project"',
};

/**
 * Reads the log records of an ExportLogsServiceRequest as events, in order (streams.md, row "OTLP").
 *
 * @throws ServiceError `request.malformed` with the place, `ingest.too_many_events`, `request.too_large`.
 */
export async function decodeOtlp(
  body: Uint8Array,
  format: OtlpFormat,
  limits: DecodeLimits,
  turns?: Turns,
): Promise<DecodedBody> {
  const pause = new Pause(turns);
  const gathering = new ExportGathering(limits, pause);
  let warning: string | undefined;
  try {
    if (format === 'otlp_json') {
      const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
      const values = await parseValues(bytes, 1, otlpTerms, exportReadingLimits(limits), pause);
      refuseCut(values[0], membersTooMany(limits.eventBytesMax));
      await gatherJson(values, gathering, limits);
      warning = foreignRequest(values[0]);
    } else await gatherProtobuf(body, gathering, limits);
  } catch (error) {
    if (!(error instanceof BadRecord)) throw error;
    throw new ServiceError('request.malformed', `The body is not an OTLP export: ${error.message}.`);
  }
  const { events } = gathering.gathered;
  return { events, sourceName: undefined, ...(warning === undefined ? {} : { warning }) };
}

/** The member with the log records may be among those that were cut. */
function refuseCut(request: JsonValue | undefined, membersMax: number): void {
  if (!isJsonObject(request) || !isCut(request)) return;
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

async function gatherProtobuf(
  body: Uint8Array,
  gathering: ExportGathering,
  { eventBytesMax }: DecodeLimits,
): Promise<void> {
  let offset = 0;
  try {
    for (const found of findRecords(body, eventBytesMax)) {
      if (found.kind === 'resource') gathering.beginResource(found.resource);
      else if (found.kind === 'scope') gathering.beginScope(found.scope);
      else if (found.kind === 'step') gathering.gathered.work(found.work);
      else {
        offset = found.offset;
        const reading = gathering.add(found.bytes.length, () => readLogRecord(found.bytes));
        if (reading !== undefined) await reading;
      }
      if (gathering.gathered.isPauseDue()) await gathering.gathered.pause();
    }
  } catch (error) {
    if (error instanceof ServiceError || error instanceof BadRecord) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ServiceError(
      'request.malformed',
      `The body is not a complete, valid ExportLogsServiceRequest in protobuf (at byte ${offset + 1} or later): ${reason}.`,
      { errors: [{ message: reason }] },
    );
  }
}

async function gatherJson(
  values: readonly JsonValue[],
  gathering: ExportGathering,
  { eventBytesMax }: DecodeLimits,
): Promise<void> {
  const [request = null] = values;
  if (values.length > 1) throw new BadRecord('it holds several JSON values; send one in each request');
  for (const found of findJsonRecords(request, jsonFactor * eventBytesMax)) {
    if (found.kind === 'resource') gathering.beginResource(found.resource);
    else if (found.kind === 'scope') gathering.beginScope(found.scope);
    else if (found.kind === 'step') gathering.gathered.work(found.work);
    else {
      const { value, place, sentBytes } = found;
      const isLarge = sentBytes > jsonFactor * eventBytesMax;
      const reading = gathering.add(isLarge ? sentBytes : recordBytes, () => readJsonRecord(value, place));
      if (reading !== undefined) await reading;
    }
    if (gathering.gathered.isPauseDue()) await gathering.gathered.pause();
  }
}

const names: GatheredNames = { record: 'log record', shared: 'resource and scope' };

/** Collects the log records of an export, each with the resource and scope found before it. */
class ExportGathering {
  readonly gathered: Gathering;
  #origin: LogOrigin = { resource: null, scope: null };
  #resourceBytes = 0;

  constructor(limits: DecodeLimits, pause: Pause) {
    this.gathered = new Gathering(limits, names, pause);
  }

  beginResource(resource: Origin): void {
    this.#resourceBytes = resource.bytes;
    this.#origin = { resource: objectOf(resource), scope: null };
    this.gathered.begin(resource.bytes);
    this.gathered.work(recordBytes);
  }

  beginScope(scope: Origin): void {
    this.#origin = { ...this.#origin, scope: objectOf(scope) };
    this.gathered.begin(this.#resourceBytes + scope.bytes);
    this.gathered.work(recordBytes);
  }

  add(bytes: number, read: () => Generator<Step, LogRecord>): Promise<void> | undefined {
    const origin = this.#origin;
    return this.gathered.add(bytes, function* () {
      return logEvent(yield* read(), origin);
    });
  }
}

function objectOf(origin: Origin): JsonObject | null {
  return origin.kind === 'read' ? origin.object : null;
}
