import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { SeededRandom } from '../../src/demo/seededRandom.ts';

const strangeTexts: readonly [string, ...string[]] = [
  '""',
  '"a"',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\ud83d\\ude00"',
  '"é😀"',
  '"\\u2028"',
  `"${'x'.repeat(5000)}"`,
  '"2026-05-01T10:00:00Z"',
  '"2026-02-30T10:00:00Z"',
  '"1780000000000000"',
];
const strangeValues: readonly [string, ...string[]] = [
  ...strangeTexts,
  'null',
  'true',
  'false',
  '0',
  '-0',
  '1e400',
  '-1e-400',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775809',
  '123456789012345678901234567890',
  '1780000000',
  '1780000000000',
  '1780000000000000',
  '1780000000000000000',
  '99999999999999999',
  '0.1',
  '[]',
  '{}',
  '[[]]',
  '[{}]',
  '[{"a":[{"b":1}]}]',
  '{"":{"":null}}',
  '{"__proto__":{"a":1},"constructor":1,"toString":null}',
  '{"a":1,"a":2}',
  '{"request":{"method":1,"path":[],"url":{}},"response":{"status_code":"200","origin_time":null}}',
  '{"request":[{"method":"GET"},{"method":"PUT"}]}',
  '{"project":"fuzz","project_ref":"fuzz"}',
  `${'['.repeat(500)}${']'.repeat(500)}`,
  `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`,
];
const members: readonly [string, ...string[]] = [
  'id',
  'timestamp',
  '@timestamp',
  'date',
  'event_message',
  'message',
  'log',
  'project',
  'project_ref',
  'metadata',
  'source',
  'batch',
  'level',
  '__proto__',
  '',
  'é',
];

/** One event as JSON text, from sound to strange. */
export function eventText(random: SeededRandom): string {
  if (random.chance(0.05)) return random.pick(strangeValues);
  const parts: string[] = [];
  if (random.chance(0.9)) parts.push(`"project":${random.chance(0.9) ? '"fuzz"' : random.pick(strangeValues)}`);
  if (random.chance(0.7))
    parts.push(`"event_message":${random.pick(random.chance(0.8) ? strangeTexts : strangeValues)}`);
  if (random.chance(0.5)) {
    parts.push(
      `"metadata":${random.chance(0.6) ? `{${member(random)},${member(random)}}` : random.pick(strangeValues)}`,
    );
  }
  for (let n = random.chance(0.4) ? random.integer(1, 3) : 0; n > 0; n--) parts.push(member(random));
  return `{${parts.join(random.chance(0.03) ? ' , ,' : ',')}}`;
}

function member(random: SeededRandom): string {
  const value = random.chance(0.15) ? `{${member(random)}}` : random.pick(strangeValues);
  return `${JSON.stringify(random.pick(members))}:${value}`;
}

export interface FuzzedBody {
  readonly body: Buffer;
  readonly contentType: string | null;
  readonly contentEncoding: string | null;
}

/** A body of some events in some form, whole or damaged. */
export function ingestBody(random: SeededRandom): FuzzedBody {
  const events = Array.from({ length: random.pick([0, 1, 1, 2, 3, 20]) }, () => eventText(random));
  const [text, sound] = random.pick<readonly [string, string]>([
    [events[0] ?? '{}', 'application/json'],
    [`[${events.join(',')}]`, 'application/json'],
    [`[${events.join(',')}]`, 'application/json; charset=utf-8'],
    [`{"batch":[${events.join(',')}]}`, 'application/json'],
    [`{"batch":[${events.join(',')}],"source":"auth_logs"}`, 'application/json'],
    [events.join('\n'), 'application/x-ndjson'],
    [events.join('\r\n\r\n'), 'application/jsonl'],
    [events.join(random.pick(['', ' ', '\n'])), 'application/json'],
  ]);
  let body: Buffer = Buffer.from(text, 'utf8');
  if (random.chance(0.15)) body = damaged(random, body);
  const contentType = random.chance(0.9)
    ? sound
    : random.pick([
        'application/json',
        'application/x-ndjson',
        'text/plain',
        '',
        'application/json; charset=utf-16',
        'x',
        null,
      ]);
  const encoding = random.chance(0.6)
    ? null
    : random.pick(['gzip', 'deflate', 'br', 'zstd', 'identity', 'x', 'gzip, br', '']);
  let coded = body;
  if (encoding === 'gzip') coded = gzipSync(body);
  if (encoding === 'deflate') coded = deflateSync(body);
  if (encoding === 'br') coded = brotliCompressSync(body);
  if (encoding === 'gzip, br') coded = brotliCompressSync(gzipSync(body));
  if (random.chance(0.08)) coded = damaged(random, coded);
  return { body: coded, contentType, contentEncoding: encoding };
}

function damaged(random: SeededRandom, bytes: Buffer): Buffer {
  const at = random.integer(0, bytes.length);
  switch (random.integer(0, 4)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from([random.integer(0, 255)]), bytes.subarray(at)]);
    case 2: {
      const copy = Buffer.from(bytes);
      if (at < copy.length) copy[at] = random.integer(0, 255);
      return copy;
    }
    case 3:
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]);
    default:
      return Buffer.concat([bytes, bytes]);
  }
}
