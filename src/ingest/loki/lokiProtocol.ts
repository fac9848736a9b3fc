import { Pause, type Turns } from '../../core/concurrency/turns.ts';
import { ServiceError } from '../../core/errors.ts';
import { type JsonObject, type JsonValue, memberNames, memberOf } from '../../core/jsonValue.ts';
import { writeJson } from '../../core/writeJson.ts';
import { BadRecord } from '../badRecord.ts';
import { type DecodedBody, parseValues } from '../decode.ts';
import { bytesAtLeast } from '../eventSize.ts';
import { type GatheredNames, Gathering, recordBytes } from '../gathering.ts';
import type { DecodeLimits, Protocol } from '../protocol.ts';
import type { SourceCandidate } from '../resolveSource.ts';
import { eventTerms, type SenderTerms } from '../senderTerms.ts';
import type { Step } from '../step.ts';
import { lineEvent } from './lineEvent.ts';
import type { LogLine } from './logLine.ts';
import { lokiFormat } from './lokiFormat.ts';
import { findJsonLines, hasTooManyPairs, pushReadingLimits, readJsonEntry } from './readJson.ts';
import { findLines, readEntry } from './readProtobuf.ts';

const lokiTerms: SenderTerms = {
  ...eventTerms,
  emptyBatch: '{"streams":[]}',
  giveProject: 'Give its stream a label "project", send the header X-Scope-OrgID',
};

/**
 * Pushes of Loki clients (Loki HTTP API, "Ingest logs"): protobuf in Snappy, or JSON. `tenant` is the project of lines
 * that have none. A stream names its source by the label `source`.
 *
 * Loki stores a line once that it gets twice with the same labels and nanoseconds, so equal bytes are the same lines.
 */
export function lokiProtocol(tenant: string | undefined): Protocol {
  return (contentType) => {
    const format = lokiFormat(contentType);
    return {
      terms: lokiTerms,
      isSnappy: format === 'loki_protobuf',
      ...(tenant === undefined ? {} : { besides: tenant }),
      async decode(body, limits, turns): Promise<DecodedBody> {
        const push = new PushGathering(limits, tenant, turns);
        try {
          if (format === 'loki_json') await gatherJson(body, push, limits);
          else await gatherProtobuf(body, push);
        } catch (error) {
          if (!(error instanceof BadRecord)) throw error;
          throw new ServiceError('request.malformed', `The body is not a push of Loki: ${error.message}.`);
        }
        const { events } = push.gathered;
        return { events, sourceName: undefined, eventSources: push.sources, isIdentified: true };
      },
    };
  };
}

async function gatherProtobuf(body: Uint8Array, push: PushGathering): Promise<void> {
  let offset = 0;
  try {
    for (const found of findLines(body)) {
      if (found.kind === 'stream') push.beginStream(found.labels);
      else if (found.kind === 'step') push.gathered.work(found.work);
      else {
        offset = found.offset;
        const reading = push.add(found.bytes.length, () => readEntry(found.bytes));
        if (reading !== undefined) await reading;
      }
      if (push.gathered.isPauseDue()) await push.gathered.pause();
    }
  } catch (error) {
    if (error instanceof ServiceError || error instanceof BadRecord) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ServiceError(
      'request.malformed',
      `The body is not a complete, valid PushRequest in protobuf (at byte ${offset + 1} or later): ${reason}.`,
      { errors: [{ message: reason }] },
    );
  }
}

async function gatherJson(body: Uint8Array, push: PushGathering, limits: DecodeLimits): Promise<void> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const { eventBytesMax } = limits;
  const [request = null, ...more] = await parseValues(bytes, 1, lokiTerms, pushReadingLimits(limits), push.pause);
  if (more.length > 0) throw new BadRecord('it holds several JSON values; send one in each request');
  for (const found of findJsonLines(request)) {
    if (found.kind === 'stream') push.beginStream(found.labels);
    else {
      const { entry } = found;
      const least = hasTooManyPairs(entry) ? 0 : bytesAtLeast({ metadata: { entry } }, eventBytesMax);
      // The size of the body already bounds the bytes of lines.
      const size = least > eventBytesMax ? least : recordBytes;
      push.addAtOnce(size, () => readJsonEntry(entry));
      push.gathered.work(least);
    }
    if (push.gathered.isPauseDue()) await push.gathered.pause();
  }
}

const names: GatheredNames = { record: 'log line', shared: 'labels' };

/** Collects the lines of a push, each with the labels found before it. */
class PushGathering {
  readonly gathered: Gathering;
  readonly sources: (SourceCandidate | undefined)[] = [];
  readonly pause: Pause;
  readonly #eventBytesMax: number;
  readonly #tenant: string | undefined;
  #labels: JsonObject = {};
  #source: SourceCandidate | undefined;

  constructor(limits: DecodeLimits, tenant: string | undefined, turns: Turns) {
    this.pause = new Pause(turns);
    this.gathered = new Gathering(limits, names, this.pause);
    this.#eventBytesMax = limits.eventBytesMax;
    this.#tenant = tenant;
  }

  beginStream(labels: JsonObject): void {
    const least = bytesAtLeast({ metadata: labels }, this.#eventBytesMax);
    const bytes = least > this.#eventBytesMax ? least : Buffer.byteLength(writeJson(labels));
    this.gathered.work(recordBytes + bytes);
    this.gathered.begin(bytes, least > this.#eventBytesMax ? 0 : memberNames(labels).length);
    this.#labels = labels;
    this.#source = sourceOf(memberOf(labels, 'source') ?? null);
  }

  add(bytes: number, read: () => Generator<Step, LogLine>): Promise<void> | undefined {
    const labels = this.#labels;
    const tenant = this.#tenant;
    this.sources.push(this.#source);
    return this.gathered.add(bytes, function* () {
      return lineEvent(yield* read(), labels, tenant);
    });
  }

  addAtOnce(bytes: number, read: () => LogLine): void {
    this.sources.push(this.#source);
    this.gathered.addAtOnce(bytes, () => lineEvent(read(), this.#labels, this.#tenant));
  }
}

function sourceOf(label: JsonValue): SourceCandidate | undefined {
  return typeof label === 'string' && label !== '' ? { place: 'the label source', name: label } : undefined;
}
