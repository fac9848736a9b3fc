import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type OtlpExport, protobufOf } from '../../support/otlpMessage.ts';
import { type RawAnswer, rawRequest } from '../../support/rawRequest.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

// Requests as the programs of examples/ write them: the order and spelling of headers, framing, member
// names and compression. What the configuration decides is read from the example itself.

const nowMicros = Date.parse('2026-05-01T12:00:00Z') * 1000;
const folder = join(import.meta.dirname, '..', '..', '..', 'examples');
const example = (file: string) => readFileSync(join(folder, file), 'utf8');

let service: WholeService;
let token: string;
beforeAll(async () => {
  service = await startWholeService({ nowMicros, settings: { sources: 'app_logs' } });
  token = await service.makeToken(['ingest:source:app_logs']);
  await fetch(`${service.url}/api/endpoints`, {
    method: 'POST',
    headers: { 'x-api-key': service.adminToken, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'test.app',
      query: `select timestamp, event_message, metadata from sources.app_logs
              where project = @project and metadata.shipper = @shipper order by timestamp, event_message`,
      parameters: { project: { type: 'string', required: true }, shipper: { type: 'string', required: true } },
      max_rows: 100,
      sandbox: false,
    }),
  });
});
afterAll(() => service.close());

/** What the program puts for the variables of its configuration. */
function filled(text: string): string {
  const { hostname, port } = new URL(service.url);
  const values = { LOGMILL_URL: service.url, LOGMILL_HOST: hostname, LOGMILL_PORT: port, LOGMILL_TOKEN: token };
  return text.replaceAll(/\$\{(?:env:)?(LOGMILL_\w+)\}/g, (_all, name: keyof typeof values) => values[name]);
}

/** Host and path of a URL, as they stand in a request. */
function target(url: string): { readonly host: string; readonly path: string } {
  const { host, pathname, search } = new URL(url);
  return { host, path: `${pathname}${search}` };
}

async function rowsOf(shipper: string) {
  const { body } = await service.call('test.app', { project: 'blueberry', shipper });
  return body.result;
}

function expectLogged(answer: RawAnswer, accepted: number): void {
  expect([answer.status, JSON.parse(answer.body.toString())]).toEqual([
    200,
    { message: 'Logged!', accepted, rejected: [] },
  ]);
}

describe('Vector', () => {
  /** An event of its file source, with the project of the transform; members in the order of the alphabet. */
  const event = (shipper: string, message: string, nanos: string) =>
    JSON.stringify({
      file: '/var/log/app/web.log',
      host: 'web-1',
      message,
      project: 'blueberry',
      shipper,
      source_type: 'file',
      timestamp: `2026-05-01T10:00:30.${nanos}Z`,
    });
  const row = (shipper: string, message: string, micros: string) => ({
    timestamp: `2026-05-01T10:00:30.${micros}Z`,
    event_message: message,
    metadata: { file: '/var/log/app/web.log', host: 'web-1', shipper, source_type: 'file' },
  });

  const send = async (type: string, coding: string | null, body: Buffer) => {
    const { uri, method, request } = parse(filled(example('vector.yaml'))).sinks.logmill;
    const { host, path } = target(uri);
    return await rawRequest(
      service.url,
      [
        `${method.toUpperCase()} ${path} HTTP/1.1`,
        `content-type: ${type}`,
        ...(coding === null ? [] : [`content-encoding: ${coding}`]),
        `x-api-key: ${request.headers['X-API-KEY']}`,
        'user-agent: Vector/0.50.0 (x86_64-unknown-linux-gnu 9053198 2025-09-23 14:18:50.944442940)',
        'accept-encoding: identity',
        `host: ${host}`,
        `content-length: ${body.length}`,
      ],
      body,
    );
  };

  it('sends lines with gzip, as the example says', async () => {
    const { encoding, framing, compression } = parse(example('vector.yaml')).sinks.logmill;
    expect([encoding.codec, framing.method, compression]).toEqual(['json', 'newline_delimited', 'gzip']);
    const lines = [event('vector', 'one', '123456789'), event('vector', 'two', '5')].map((line) => `${line}\n`);
    expectLogged(await send('application/x-ndjson', 'gzip', gzipSync(lines.join(''))), 2);
    expect(await rowsOf('vector')).toEqual([row('vector', 'one', '123456'), row('vector', 'two', '500000')]);
  });

  it('sends an array without framing, and zlib under the name deflate', async () => {
    const array = Buffer.from(`[${event('vector array', 'one', '1')},${event('vector array', 'two', '2')}]`);
    expectLogged(await send('application/json', null, array), 2);
    expectLogged(await send('application/json', 'deflate', deflateSync(array)), 2);
    expect(await rowsOf('vector array')).toHaveLength(4);
  });
});

describe('Fluent Bit', () => {
  const send = async (type: string, text: string, isCompressed = true) => {
    const [output] = parse(filled(example('fluent-bit.yaml'))).pipeline.outputs;
    const body = isCompressed ? gzipSync(text) : Buffer.from(text);
    return await rawRequest(
      service.url,
      [
        `POST ${output.uri} HTTP/1.1`,
        `Host: ${output.host}:${output.port}`,
        `Content-Length: ${body.length}`,
        `Content-Type: ${type}`,
        ...(isCompressed ? ['Content-Encoding: gzip'] : []),
        'User-Agent: Fluent-Bit',
        ...output.header.map((header: string) => header.replace(' ', ': ')),
      ],
      body,
    );
  };
  /** A record of its tail input: the time first, under its key, then the line under `log`. */
  const record = (shipper: string, log: string, date: string) =>
    `{"date":${date},"log":"${log}","shipper":"${shipper}","project":"blueberry"}`;
  const row = (shipper: string, message: string, time: string) => ({
    timestamp: `2026-05-01T10:00:${time}Z`,
    event_message: message,
    metadata: { shipper },
  });

  it('sends lines with gzip and its own time, as the example says', async () => {
    const [output] = parse(example('fluent-bit.yaml')).pipeline.outputs;
    expect([output.format, output.compress, output.json_date_key, output.json_date_format]).toEqual([
      'json_lines',
      'gzip',
      'date',
      'double',
    ]);
    const lines = [
      record('fluent bit', 'one', '1777629630.123456'),
      record('fluent bit', 'two', '1777629631.0'),
      record('fluent bit', 'three', '1777629632'),
    ];
    expectLogged(await send('application/x-ndjson', `${lines.join('\n')}\n`), 3);
    expect(await rowsOf('fluent bit')).toEqual([
      row('fluent bit', 'one', '30.123456'),
      row('fluent bit', 'two', '31.000000'),
      row('fluent bit', 'three', '32.000000'),
    ]);
  });

  it.each<[string, string, (records: readonly string[]) => string]>([
    ['json', 'application/json', (records) => `[${records.join(',')}]`],
    ['json_stream', 'application/json', (records) => records.join('')],
    ['json_lines as JSON', 'application/json', (records) => records.map((each) => `${each}\n`).join('')],
  ])('sends %s', async (format, type, bodyOf) => {
    const records = [record(format, 'one', '1777629630.123456'), record(format, 'two', '"2026-05-01T10:00:31.5Z"')];
    expectLogged(await send(type, bodyOf(records), false), 2);
    expect(await rowsOf(format)).toEqual([row(format, 'one', '30.123456'), row(format, 'two', '31.500000')]);
  });
});

describe('Logstash', () => {
  const config = () => filled(example('logstash.conf'));
  const setting = (name: string) => new RegExp(`\\b${name} => (?:"([^"]*)"|(\\w+))`).exec(config())?.slice(1).join('');

  it('sends batches with gzip, as the example says', async () => {
    expect([setting('format'), setting('http_method'), setting('http_compression')]).toEqual([
      'json_batch',
      'post',
      'true',
    ]);
    const [, header] = /"X-API-KEY" => "([^"]*)"/.exec(config()) ?? [];
    const { host, path } = target(setting('url') ?? '');
    const event = (message: string, time: string) => ({
      '@timestamp': time,
      '@version': '1',
      event: { original: message },
      host: { name: 'web-1' },
      log: { file: { path: '/var/log/app/web.log' } },
      message,
      project: 'blueberry',
      shipper: 'logstash',
    });
    const events = [event('one', '2026-05-01T10:00:30.123456789Z'), event('two', '2026-05-01T10:00:31.000Z')];
    const body = gzipSync(JSON.stringify(events));
    const answer = await rawRequest(
      service.url,
      [
        `POST ${path} HTTP/1.1`,
        'Connection: Keep-Alive',
        `X-API-KEY: ${header}`,
        'Content-Encoding: gzip',
        `Content-Length: ${body.length}`,
        'Content-Type: application/json',
        `Host: ${host}`,
        'User-Agent: Manticore 0.9.1',
        'Accept-Encoding: gzip,deflate',
      ],
      body,
    );
    expectLogged(answer, 2);
    const row = (message: string, time: string) => ({
      timestamp: time,
      event_message: message,
      metadata: {
        '@version': '1',
        event: { original: message },
        host: { name: 'web-1' },
        log: { file: { path: '/var/log/app/web.log' } },
        shipper: 'logstash',
      },
    });
    expect(await rowsOf('logstash')).toEqual([
      row('one', '2026-05-01T10:00:30.123456Z'),
      row('two', '2026-05-01T10:00:31.000000Z'),
    ]);
  });
});

describe('the OpenTelemetry Collector', () => {
  const message: OtlpExport = {
    resourceLogs: [
      {
        resource: { attributes: [{ key: 'project', value: { stringValue: 'blueberry' } }] },
        scopeLogs: [
          {
            scope: {},
            logRecords: ['one', 'two'].map((line) => ({
              observedTimeUnixNano: '1777629630123456789',
              body: { stringValue: line },
              attributes: [{ key: 'log.file.name', value: { stringValue: 'web.log' } }],
              traceId: '',
              spanId: '',
            })),
          },
        ],
      },
    ],
  };

  it.each<[string, string, () => Uint8Array, string]>([
    ['proto', 'application/x-protobuf', () => protobufOf(message), ''],
    ['json', 'application/json', () => Buffer.from(JSON.stringify(message)), '{}'],
  ])('sends %s with gzip, as the example says or allows', async (encoding, type, bodyOf, answered) => {
    const { otlp_http: exporter } = parse(filled(example('otel-collector.yaml'))).exporters;
    expect([exporter.encoding, exporter.compression]).toEqual(['proto', 'gzip']);
    const { host, path } = target(exporter.logs_endpoint);
    const body = gzipSync(bodyOf());
    const answer = await rawRequest(
      service.url,
      [
        `POST ${path} HTTP/1.1`,
        `Host: ${host}`,
        'User-Agent: OpenTelemetry Collector Contrib/0.150.0 (linux/amd64)',
        `Content-Length: ${body.length}`,
        'Content-Encoding: gzip',
        `Content-Type: ${type}`,
        `X-Api-Key: ${exporter.headers['X-API-KEY']}`,
        'Accept-Encoding: gzip',
      ],
      body,
    );
    expect([answer.status, answer.headers['content-type'], answer.body.toString()]).toEqual([200, type, answered]);
    const sql = `select timestamp, event_message, metadata from sources.app_logs where project = 'blueberry' and metadata.attributes is not null order by event_message`;
    const name = `test.otel-${encoding}`;
    await fetch(`${service.url}/api/endpoints`, {
      method: 'POST',
      headers: { 'x-api-key': service.adminToken, 'content-type': 'application/json' },
      body: JSON.stringify({ name, query: sql, max_rows: 100, sandbox: false }),
    });
    const { body: read } = await service.call(name, {});
    const row = (line: string) => ({
      timestamp: '2026-05-01T10:00:30.123456Z',
      event_message: line,
      metadata: { resource: { project: 'blueberry' }, attributes: { 'log.file.name': 'web.log' } },
    });
    const rows = ['one', 'two'].flatMap((line) =>
      Array.from({ length: encoding === 'proto' ? 1 : 2 }, () => row(line)),
    );
    expect(read.result).toEqual(rows);
  });
});
