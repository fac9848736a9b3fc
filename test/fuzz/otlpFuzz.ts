import { gzipSync } from 'node:zlib';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { SeededRandom } from '../../src/demo/seededRandom.ts';
import { type OtlpExport, type OtlpPair, type OtlpRecord, type OtlpValue, protobufOf } from '../support/otlpMessage.ts';
import { describeSent } from './checkAnswer.ts';
import { FuzzLog, type FuzzReport, type FuzzRun } from './finding.ts';
import { type Answer, FuzzedService, type Sent } from './fuzzedService.ts';
import { storedCounts } from './storedCounts.ts';

/** Where sound exports go, of which every record is counted, and where damaged ones do. */
const soundSource = 'edge_logs';
const damagedSource = 'auth_logs';
const requestsAtOnce = 4;
/** What a sender may be told of a request; anything else is a fault of the service. */
const statuses = new Set([200, 400, 413, 415]);

/** Exports of OTLP in both encodings, sound and damaged: answers as the protocol has them, and every record that was taken is stored. */
export async function fuzzOtlp({ seed, isOver, found }: FuzzRun): Promise<FuzzReport> {
  const random = new SeededRandom(`otlp/${seed}`);
  const log = new FuzzLog(found);
  const service = await FuzzedService.start();
  let inputs = 0;
  let accepted = 0;
  try {
    while (!isOver() && service.isAlive) {
      const batch = Array.from({ length: requestsAtOnce }, () => makeExport(random, inputs++));
      const taken = await Promise.all(batch.map((made) => send(service, made, log)));
      for (const count of taken) accepted += count;
    }
    if (!service.isAlive) log.add({ rule: 'the service stays up', input: '', detail: service.log.slice(-2000) });
  } finally {
    await service.stop();
  }
  const stored = (await storedCounts(service.dataDir)).get(soundSource) ?? 0;
  await service.removeData();
  if (stored !== accepted) {
    const detail = `${stored} stored, ${accepted} accepted`;
    log.add({ rule: 'what was accepted is stored, and nothing else', input: soundSource, detail });
  }
  return { name: 'otlp', inputs, counts: log.counts, findings: log.findings };
}

interface MadeExport {
  readonly sent: Sent;
  /** Null where it was damaged: nobody knows then how many it holds. */
  readonly records: number | null;
}

function makeExport(random: SeededRandom, number: number): MadeExport {
  const message = exportMessage(random);
  const isJson = random.chance(0.4);
  const isDamaged = random.chance(0.5);
  let body: Buffer = isJson ? Buffer.from(JSON.stringify(message)) : Buffer.from(protobufOf(message));
  if (isDamaged) body = damaged(random, body);
  const isCompressed = random.chance(0.3);
  const records = message.resourceLogs.flatMap(({ scopeLogs = [] }) =>
    scopeLogs.flatMap((each) => each.logRecords ?? []),
  );
  return {
    records: isDamaged ? null : records.length,
    sent: {
      method: 'POST',
      path: `/v1/logs?source=${isDamaged ? damagedSource : soundSource}`,
      headers: {
        'idempotency-key': `otlp-${number}`,
        'content-type': isJson ? 'application/json' : 'application/x-protobuf',
        ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
      },
      body: isCompressed ? gzipSync(body) : body,
    },
  };
}

/** Gives how many records of a sound export were accepted. */
async function send(service: FuzzedService, { sent, records }: MadeExport, log: FuzzLog): Promise<number> {
  const complain = (rule: string, detail: string) => log.add({ rule, input: describeSent(sent), detail });
  try {
    const answer = await service.send(sent);
    log.count(String(answer.status));
    const shown = `${answer.status} ${answer.headers['content-type']} ${answer.body.slice(0, 500)}`;
    if (!statuses.has(answer.status)) complain('an export is taken or refused as bad', shown);
    if (answer.headers['content-type'] !== sent.headers['content-type']) {
      complain('an answer is encoded as its request was', shown);
      return 0;
    }
    if (answer.status !== 200) {
      if (messageOf(answer) === '') complain('a Status says what is wrong', shown);
      return 0;
    }
    return records === null ? 0 : records - rejectedOf(answer);
  } catch (error) {
    complain('every request is answered as the protocol has it', String(error));
    return 0;
  }
}

function isJson({ headers }: Answer): boolean {
  return headers['content-type'] === 'application/json';
}

function messageOf(answer: Answer): string {
  if (isJson(answer)) return String(JSON.parse(answer.body).message ?? '');
  const reader = new BinaryReader(answer.bytes);
  reader.tag();
  reader.int32();
  reader.tag();
  return reader.string();
}

function rejectedOf(answer: Answer): number {
  if (isJson(answer)) return Number(JSON.parse(answer.body).partialSuccess?.rejectedLogRecords ?? 0);
  if (answer.bytes.length === 0) return 0;
  const reader = new BinaryReader(answer.bytes);
  reader.tag();
  reader.uint32();
  reader.tag();
  return Number(reader.int64());
}

function exportMessage(random: SeededRandom): OtlpExport {
  const some = <T>(most: number, make: () => T): readonly T[] => Array.from({ length: random.integer(0, most) }, make);
  return {
    resourceLogs: some(2, () => ({
      resource: { attributes: [...pairs(random, 2), { key: 'project', value: { stringValue: 'fuzz' } }] },
      scopeLogs: some(2, () => ({
        scope: { name: 's', attributes: pairs(random, 2) },
        logRecords: some(4, () => record(random)),
      })),
    })),
  };
}

function record(random: SeededRandom): OtlpRecord {
  return {
    timeUnixNano: random.pick(['0', '1', '1780000000000000000', '18446744073709551615', '999999999999999']),
    observedTimeUnixNano: random.pick(['0', '1780000000000000001']),
    severityNumber: random.integer(0, 30),
    body: value(random, 4),
    attributes: pairs(random, 4),
    traceId: random.pick(['', '0'.repeat(32), '5b8efff798038103d269b633813fc60c', 'ab']),
    eventName: random.pick(['', 'event']),
  };
}

function pairs(random: SeededRandom, most: number): readonly OtlpPair[] {
  return Array.from({ length: random.integer(0, most) }, () => ({
    key: random.pick(['a', '', 'project', '__proto__', 'é', '0', '\u0000', 'service.name']),
    value: value(random, 3),
  })).map((pair) => (pair.key === 'project' ? { key: 'project', value: { stringValue: 'fuzz' } } : pair));
}

function value(random: SeededRandom, depth: number): OtlpValue {
  const values = () => Array.from({ length: random.integer(0, 3) }, () => value(random, depth - 1));
  switch (random.integer(0, depth > 0 ? 8 : 6)) {
    case 0:
      return { stringValue: random.pick(['', 'text', '\u0000', '\u2028', '😀', 'x'.repeat(3000)]) };
    case 1:
      return { boolValue: random.chance(0.5) };
    case 2:
      return { intValue: random.pick(['0', '-1', '9223372036854775807', '-9223372036854775808']) };
    case 3:
      return { doubleValue: random.pick([0, -0, 1e308, 5e-324, 0.1]) };
    case 4:
      return { doubleValue: random.pick(['NaN', 'Infinity', '-Infinity']) };
    case 5:
      return { bytesValue: random.pick(['', 'AQL/', '//79']) };
    case 6:
      return {};
    case 7:
      return { arrayValue: { values: values() } };
    default:
      return { kvlistValue: { values: pairs(random, 3) } };
  }
}

function damaged(random: SeededRandom, bytes: Buffer): Buffer {
  const at = random.integer(0, bytes.length);
  const copy = Buffer.from(bytes);
  switch (random.integer(0, 3)) {
    case 0:
      return copy.subarray(0, at);
    case 1:
      return Buffer.concat([copy.subarray(0, at), Buffer.from([random.integer(0, 255)]), copy.subarray(at)]);
    case 2:
      for (let times = random.integer(1, 4); times > 0 && copy.length > 0; times--) {
        copy[random.integer(0, copy.length - 1)] = random.integer(0, 255);
      }
      return copy;
    default:
      return Buffer.concat([copy.subarray(at), copy.subarray(0, at)]);
  }
}
