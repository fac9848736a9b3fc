import { gzipSync } from 'node:zlib';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { bodyBytes, eventBytes, filled, members } from './filledText.ts';
import type { HoldCase } from './holdCase.ts';

const json = { 'content-type': 'application/json' };
const lines = { 'content-type': 'application/x-ndjson' };
const otlpJson = { 'content-type': 'application/json' };
const protobuf = { 'content-type': 'application/x-protobuf' };

const list = (element: string, bytes: number = bodyBytes) => `[${filled(`${element},`, bytes)}${element}]`;
/** Fifteen such events of 1 MiB. */
const many = (more: string) => `[${Array(15).fill(event(more)).join(',')}]`;
const event = (more: string) => `{"project":"own",${more}}`;

function events(name: string, headers: Readonly<Record<string, string>>, body: () => string | Uint8Array): HoldCase {
  return { name, run: (client) => client.send('POST', '/api/logs?source=edge_logs', headers, body()) };
}

function otlp(name: string, headers: Readonly<Record<string, string>>, body: () => string | Uint8Array): HoldCase {
  return { name, run: (client) => client.send('POST', '/v1/logs?source=edge_logs', headers, body()) };
}

/** Fields of numbers that no OTLP message has. */
function unknownFields(bytes: number): Uint8Array {
  return Buffer.alloc(bytes, Buffer.from([15 << 3, 1]));
}

function within(fields: readonly number[], content: Uint8Array): Uint8Array {
  return fields.reduceRight(
    (inside, field) => new BinaryWriter().tag(field, WireType.LengthDelimited).bytes(inside).finish(),
    content,
  );
}

/** KeyValues whose names are numbers. */
function attributes(field: number, bytes: number): Uint8Array {
  const writer = new BinaryWriter();
  for (let n = 0, length = 0; length < bytes; n++) {
    const pair = new BinaryWriter().tag(1, WireType.LengthDelimited).string(String(n)).finish();
    writer.tag(field, WireType.LengthDelimited).bytes(pair);
    length += pair.length + 2;
  }
  return writer.finish();
}

const jsonAttributes = (bytes: number) => {
  const parts: string[] = [];
  for (let n = 0, length = 0; length < bytes; n++) {
    const part = `{"key":"${n}"}`;
    parts.push(part);
    length += part.length + 1;
  }
  return `[${parts.join(',')}]`;
};

/** Event bodies of the maximum size that take longest to read. */
export const bodyCases: readonly HoldCase[] = [
  events('blank lines, gzipped', { ...lines, 'content-encoding': 'gzip' }, () => gzipSync(filled('\n'))),
  events('lines that are no JSON', lines, () => filled('x\n')),
  events('lines of an empty object', lines, () => filled('{}\n', 150_000)),
  events('one line of white space', lines, () => filled(' ')),
  events('white space', json, () => `${filled(' ')}[]`),
  events('nothing but white space', json, () => filled(' ')),
  events('an event of one text', json, () => event(`"m":"${filled('x')}"`)),
  events('a line of one text', lines, () => event(`"m":"${filled('x')}"`)),
  events('an event of escapes', json, () => event(`"m":"${filled('\\n')}"`)),
  events('an event of surrogate escapes', json, () => event(`"m":"${filled('\\ud83d\\ude00')}"`)),
  events('an event that is not ASCII', json, () => event(`"m":"${filled('é', bodyBytes / 2)}"`)),
  events('an event of members', json, () => event(members(bodyBytes, (n) => `k${n}`))),
  events('a line of members', lines, () => event(members(bodyBytes, (n) => `k${n}`))),
  events('an event of numbered members', json, () => event(members(bodyBytes, String))),
  events('an event of digits after a point', json, () => event(`"m":0.${filled('9')}`)),
  events('an event whose time is lists of lists', json, () => event(`"timestamp":${list(list('1', 2000))}`)),
  events('an event of lists of objects', json, () => event(`"m":${list(list('{}', 2000))}`)),
  events('an event of lists of one number', json, () => event(`"m":${list('[1]')}`)),
  events('an event of nested lists', json, () => event(`"m":${list(`${'['.repeat(190)}${']'.repeat(190)}`)}`)),
  events('events of lists of objects', json, () => many(`"m":${list(list('{}', 2000), eventBytes - 4096)}`)),
  events('events of lists of one number', json, () => many(`"m":${list('[1]', eventBytes - 4096)}`)),
  events('an event of a list', json, () => event(`"m":${list('1')}`)),
  events('an event of objects', json, () => event(`"m":${list('{}')}`)),
  events('an event of many digits', json, () => event(`"m":${filled('9')}`)),
  events('a list of lists', json, () => list('[]')),
  events('a list of lists of 2 MiB', json, () => list('[]', 2 * 1024 * 1024 - 64)),
  events('a list of numbers of 2 MiB', json, () => list('1', 2 * 1024 * 1024 - 64)),
  events('an event of members of 2 MiB', json, () => event(members(2 * 1024 * 1024 - 64, (n) => `k${n}`))),
  events('values one after another', json, () => filled('1 ')),
  events('no JSON at its end', json, () => `${list('{}')}!`),
  events('line feeds, and no JSON at its end', json, () => `${filled('\n')}!`),
  events('no UTF-8 at its end', json, () =>
    Buffer.concat([Buffer.from(list('"é"', bodyBytes / 2)), Buffer.from([0xff])]),
  ),
  events('50,000 small events', json, () => list(event('"event_message":"x"'), 32 * 50_000)),
  events('one event of as many members as it may have', json, () =>
    event(members(eventBytes - 64, (n) => n.toString(36))),
  ),
  events('one event of as many numbered members', json, () => event(members(eventBytes - 64, String))),
  events('one event of the longest list', json, () => event(`"m":${list('1', eventBytes)}`)),
  events('one event of the largest metadata in a list', json, () =>
    event(`"metadata":[{${members(eventBytes - 128, (n) => n.toString(36))}}]`),
  ),
  events(
    'events as large as they may be',
    json,
    () => `[${Array.from({ length: 15 }, (_, n) => event(`"m":"${n}${filled('x', eventBytes - 256)}"`)).join(',')}]`,
  ),
  otlp('OTLP: unknown fields of the request', protobuf, () => unknownFields(bodyBytes)),
  otlp('OTLP: unknown fields of a resource', protobuf, () => within([1, 1], unknownFields(bodyBytes))),
  otlp('OTLP: unknown fields beside a resource', protobuf, () => within([1], unknownFields(bodyBytes))),
  otlp('OTLP: unknown fields of a scope', protobuf, () => within([1, 2, 1], unknownFields(bodyBytes))),
  otlp('OTLP: unknown fields beside a scope', protobuf, () => within([1, 2], unknownFields(bodyBytes))),
  otlp('OTLP: unknown fields of a record', protobuf, () => within([1, 2, 2], unknownFields(eventBytes))),
  otlp('OTLP: attributes of a resource', protobuf, () => within([1, 1], attributes(1, bodyBytes))),
  otlp('OTLP: attributes of a resource, 1 MiB', protobuf, () => within([1, 1], attributes(1, eventBytes))),
  otlp('OTLP: attributes of a scope', protobuf, () => within([1, 2, 1], attributes(3, bodyBytes))),
  otlp('OTLP: attributes of a record', protobuf, () => within([1, 2, 2], attributes(6, eventBytes))),
  otlp('OTLP: a value of pairs of a record', protobuf, () => within([1, 2, 2, 5, 6], attributes(1, eventBytes))),
  otlp('OTLP: empty resources', protobuf, () => Buffer.alloc(bodyBytes, Buffer.from([10, 0]))),
  otlp('OTLP JSON: members', otlpJson, () => `{${members(bodyBytes, (n) => `k${n}`)}}`),
  otlp('OTLP JSON: numbered members', otlpJson, () => `{${members(bodyBytes, String)}}`),
  otlp(
    'OTLP JSON: attributes of a resource',
    otlpJson,
    () => `{"resourceLogs":[{"resource":{"attributes":${jsonAttributes(bodyBytes)}}}]}`,
  ),
  otlp(
    'OTLP JSON: attributes of a record',
    otlpJson,
    () => `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":${jsonAttributes(bodyBytes)}}]}]}]}`,
  ),
  otlp(
    'OTLP JSON: a value of pairs of a record',
    otlpJson,
    () =>
      `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"kvlistValue":{"values":${jsonAttributes(eventBytes)}}}}]}]}]}`,
  ),
  otlp('OTLP JSON: empty records', otlpJson, () => `{"resourceLogs":[{"scopeLogs":[{"logRecords":${list('{}')}}]}]}`),
  otlp(
    'OTLP JSON: a body of nested lists',
    otlpJson,
    () =>
      `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"arrayValue":{"values":${list('{"intValue":1}')}}}}]}]}]}`,
  ),
];
