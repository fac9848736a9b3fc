import { gzipSync } from 'node:zlib';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { JsonLogsSerializer, ProtobufLogsSerializer } from '@opentelemetry/otlp-transformer';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportOf, type OtlpPair, protobufOf } from '../../support/otlpMessage.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

const nowMicros = Date.parse('2026-05-01T12:00:00Z') * 1000;

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ nowMicros, settings: { defaultProject: 'fallback' } });
});
afterAll(() => service.close());

const protobuf = 'application/x-protobuf';
const json = 'application/json';

interface Sent {
  readonly status: number;
  readonly type: string | null;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

async function send(
  body: Uint8Array | string,
  type: string,
  {
    headers = {},
    query = 'source=edge_logs',
    token = service.adminToken,
  }: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly query?: string;
    readonly token?: string;
  } = {},
): Promise<Sent> {
  const response = await fetch(`${service.url}/v1/logs?${query}`, {
    method: 'POST',
    headers: { 'x-api-key': token, 'content-type': type, ...headers },
    body: Buffer.from(body),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, type: response.headers.get('content-type'), headers: response.headers, bytes };
}

const rows = async (project: string, table = 'edge_logs') => {
  const sql = `select timestamp, event_message, metadata from ${table} order by event_message`;
  const { body } = await service.call('logs.all', { project, sql });
  return body.result;
};

const project = (value: string): OtlpPair => ({ key: 'project', value: { stringValue: value } });

/** A google.rpc.Status. */
function statusOf(bytes: Uint8Array): { readonly code: number; readonly message: string } {
  const reader = new BinaryReader(bytes);
  reader.tag();
  const code = reader.int32();
  reader.tag();
  return { code, message: reader.string() };
}

/** What stands in the details of a google.rpc.Status. */
function detailsOf(bytes: Uint8Array): readonly { readonly type: string; readonly value: Uint8Array }[] {
  const reader = new BinaryReader(bytes);
  reader.tag();
  reader.int32();
  reader.tag();
  reader.string();
  const details = [];
  while (reader.pos < reader.len) {
    expect(reader.tag()[0]).toBe(3);
    const any = new BinaryReader(reader.bytes());
    any.tag();
    const type = any.string();
    any.tag();
    details.push({ type, value: any.bytes() });
  }
  return details;
}

/** The partial success of an ExportLogsServiceResponse. */
function partialSuccessOf(bytes: Uint8Array): { readonly rejected: bigint; readonly message: string } {
  const reader = new BinaryReader(bytes);
  expect(reader.tag()[0]).toBe(1);
  reader.uint32();
  reader.tag();
  const rejected = BigInt(reader.int64());
  reader.tag();
  return { rejected, message: reader.string() };
}

describe('what the exporter of OpenTelemetry for JavaScript sends', () => {
  const scope = { name: 'checkout', version: '1.0.0' };
  const resource = {
    attributes: { 'service.name': 'shop', project: 'real' },
    merge: () => resource,
    getRawAttributes: () => [],
  };
  const records = [
    {
      hrTime: [1_777_629_630, 123_456_789] as [number, number],
      hrTimeObserved: [1_777_629_631, 0] as [number, number],
      severityNumber: 17,
      severityText: 'ERROR',
      body: 'payment failed',
      spanContext: { traceId: '5b8efff798038103d269b633813fc60c', spanId: 'eee19b7ec3c1b174', traceFlags: 1 },
      resource,
      instrumentationScope: scope,
      attributes: { 'http.status': 502, ratio: 0.5, tags: ['a', 'b'], nested: { deep: true } },
      droppedAttributesCount: 0,
    },
  ];
  type Records = Parameters<typeof ProtobufLogsSerializer.serializeRequest>[0];
  const expected = {
    timestamp: '2026-05-01T10:00:30.123456Z',
    event_message: 'payment failed',
    metadata: {
      resource: { 'service.name': 'shop', project: 'real' },
      scope: { name: 'checkout', version: '1.0.0' },
      attributes: { 'http.status': 502, ratio: 0.5, tags: ['a', 'b'], nested: { deep: true } },
      severity: 'ERROR',
      severity_number: 17,
      trace_id: '5b8efff798038103d269b633813fc60c',
      span_id: 'eee19b7ec3c1b174',
      flags: 1,
    },
  };

  it('is stored as it was meant, in protobuf with gzip and in JSON', async () => {
    const sentAs = [
      [protobuf, ProtobufLogsSerializer.serializeRequest(records as unknown as Records)],
      [json, JsonLogsSerializer.serializeRequest(records as unknown as Records)],
    ] as const;
    for (const [type, body] of sentAs) {
      if (body === undefined) throw new Error('the exporter has encoded nothing');
      const sent = await send(gzipSync(body), type, { headers: { 'content-encoding': 'gzip' } });
      expect([sent.status, sent.type, sent.bytes.toString()]).toEqual([200, type, type === json ? '{}' : '']);
    }
    expect(await rows('real')).toEqual([expected, expected]);
    expect(JsonLogsSerializer.deserializeResponse(Buffer.from('{}'))).toEqual({});
  });
});

describe('an export', () => {
  it('takes the default project, and the member that the stream is matched by', async () => {
    await send(protobufOf(exportOf({ body: { stringValue: 'default' } })), protobuf);
    expect(await rows('fallback')).toMatchObject([{ event_message: 'default' }]);
    const record = { body: { stringValue: 'matched' }, attributes: [project('fn')] };
    await send(protobufOf(exportOf(record)), protobuf, { query: '', headers: { 'x-source': 'function_logs' } });
    expect(await rows('fn', 'function_logs')).toMatchObject([
      { event_message: 'matched', timestamp: '2026-05-01T12:00:00.000000Z', metadata: { project_ref: 'fn' } },
    ]);
  });

  it('without records is taken', async () => {
    expect(await send('', protobuf)).toMatchObject({ status: 200 });
    expect(await send('{}', json)).toMatchObject({ status: 200 });
  });

  it.each([
    ['an event', '{"project":"p","event_message":"x"}', '"project", "event_message"'],
    ['names in another spelling', '{"resource_logs":[{}]}', '"resource_logs"'],
    ['spans', '{"resourceSpans":[{}],"a":1,"b":1,"c":1,"d":1,"e":1}', '"resourceSpans", "a", "b", "c", "d"'],
  ])('warns where a request in JSON is %s, of which nothing is stored', async (_, body, names) => {
    for (const headers of [{}, { 'idempotency-key': names }, { 'idempotency-key': names }]) {
      const answer = await send(body, json, { headers });
      expect([answer.status, JSON.parse(answer.bytes.toString())]).toEqual([
        200,
        {
          partialSuccess: {
            rejectedLogRecords: '0',
            errorMessage: `The request has no member resourceLogs, which contains the log records of OTLP, so nothing was stored; it has ${names}. Send JSON events to /api/logs.`,
          },
        },
      ]);
    }
  });

  it('is partly taken where records are bad', async () => {
    const future = { timeUnixNano: '2000000000000000000', attributes: [project('partial')] };
    const good = { body: { stringValue: 'good' }, attributes: [project('partial')] };
    const message = exportOf(future, good, future);
    const inJson = await send(JSON.stringify(message), json);
    expect([inJson.status, JSON.parse(inJson.bytes.toString())]).toEqual([
      200,
      {
        partialSuccess: {
          rejectedLogRecords: '2',
          errorMessage: expect.stringMatching(/^2 of 3 log records were rejected. Log record 0: The timestamp 2/),
        },
      },
    ]);
    const inProtobuf = await send(protobufOf(message), protobuf);
    expect(inProtobuf).toMatchObject({ status: 200, type: protobuf });
    expect(partialSuccessOf(inProtobuf.bytes)).toEqual({ rejected: 2n, message: expect.stringContaining('24 hours') });
    expect(ProtobufLogsSerializer.deserializeResponse(inProtobuf.bytes)).toMatchObject({ partialSuccess: {} });
    expect(await rows('partial')).toHaveLength(2);
  });

  it('is stored once under one key, and is no other batch', async () => {
    const body = protobufOf(exportOf({ body: { stringValue: 'once' }, attributes: [project('once')] }));
    const headers = { 'idempotency-key': 'export-1' };
    for (let times = 0; times < 3; times++) expect((await send(body, protobuf, { headers })).status).toBe(200);
    expect(await rows('once')).toHaveLength(1);
    const other = protobufOf(exportOf({ body: { stringValue: 'other' } }));
    expect(await send(other, protobuf, { headers })).toMatchObject({ status: 400 });
  });

  it('of another project is refused to a token of some projects', async () => {
    const token = await service.makeToken(['ingest:source:edge_logs'], ['mine']);
    const own = { body: { stringValue: 'own' }, attributes: [project('mine')] };
    const foreign = { body: { stringValue: 'foreign' }, attributes: [project('theirs')] };
    const mixed = await send(JSON.stringify(exportOf(own, foreign)), json, { token });
    expect(JSON.parse(mixed.bytes.toString()).partialSuccess).toMatchObject({ rejectedLogRecords: '1' });
    expect(await rows('mine')).toHaveLength(1);
    expect(await rows('theirs')).toEqual([]);
    const source = await send(JSON.stringify(exportOf(own)), json, { token, query: 'source=auth_logs' });
    expect(source.status).toBe(403);
  });
});

describe('an error', () => {
  const good = protobufOf(exportOf({ attributes: [project('p')] }));
  it.each<[string, Uint8Array | string, number, number, Parameters<typeof send>[2]]>([
    ['a body that is no protobuf', 'nonsense', 400, 3, {}],
    ['records that are all bad', protobufOf(exportOf({ timeUnixNano: '2000000000000000000' })), 400, 3, {}],
    ['no token', good, 401, 16, { token: 'nonsense' }],
    ['an unknown source', good, 404, 5, { query: 'source=edge' }],
    ['no source', good, 400, 3, { query: '' }],
    ['an unknown coding', good, 415, 3, { headers: { 'content-encoding': 'snappy' } }],
  ])('for %s is a Status in the encoding of the request', async (_what, body, status, code, options) => {
    const sent = await send(body, protobuf, options);
    expect([sent.status, sent.type]).toEqual([status, protobuf]);
    expect(statusOf(sent.bytes)).toEqual({ code, message: expect.stringMatching(/[.?]$/) });
    const inJson = await send(
      body === good ? JSON.stringify(exportOf({ attributes: [project('p')] })) : '[]',
      json,
      options,
    );
    expect([inJson.status, inJson.type, Object.keys(JSON.parse(inJson.bytes.toString()))]).toEqual([
      status,
      json,
      ['code', 'message', 'details'],
    ]);
  });

  it('names the records that were wrong, in both encodings', async () => {
    const bad = exportOf(
      { timeUnixNano: '2000000000000000000', attributes: [project('p')] },
      { timeUnixNano: '2000000000000000001', attributes: [project('p')] },
    );
    const inJson = JSON.parse((await send(JSON.stringify(bad), json)).bytes.toString());
    expect(inJson.details).toEqual([
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'ingest.batch_invalid', domain: 'logmill' },
      {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: [0, 1].map((index) => ({
          field: `log record ${index}`,
          description: expect.stringContaining('24 hours ahead'),
        })),
      },
    ]);
    const { bytes } = await send(protobufOf(bad), protobuf);
    const [info, request, ...more] = detailsOf(bytes);
    expect(more).toEqual([]);
    expect(info?.type).toBe('type.googleapis.com/google.rpc.ErrorInfo');
    expect(request?.type).toBe('type.googleapis.com/google.rpc.BadRequest');
    const reader = new BinaryReader(request?.value ?? Buffer.alloc(0));
    expect(reader.tag()[0]).toBe(1);
    const violation = new BinaryReader(reader.bytes());
    expect([violation.tag()[0], violation.string()]).toEqual([1, 'log record 0']);
    expect([violation.tag()[0], violation.string()]).toEqual([2, inJson.details[1].fieldViolations[0].description]);
  });

  it('names the place of a fault in JSON', async () => {
    const { details } = JSON.parse((await send('{"resourceLogs":\n[}', json)).bytes.toString());
    expect(details[1].fieldViolations).toEqual([{ field: 'body, line 2, column 2', description: expect.any(String) }]);
  });

  it('is described as what it is', async () => {
    const document = JSON.parse(
      await (await fetch(`${service.url}/openapi.json`, { headers: { 'x-api-key': service.adminToken } })).text(),
    );
    const { responses } = document.paths['/v1/logs'].post;
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining(['200', '400', '401', '404', '413', '415', '429', '503']),
    );
    expect(Object.keys(responses)).not.toContain('422');
    for (const status of ['400', '503']) {
      expect(Object.keys(responses[status].content)).toEqual([json, protobuf]);
      expect(responses[status].content[json].schema).toEqual({ $ref: '#/components/schemas/ExportStatus' });
    }
    const schema = new Ajv({ strict: false }).compile(document.components.schemas.ExportStatus);
    const told = JSON.parse((await send('[]', json)).bytes.toString());
    expect([schema(told), schema.errors]).toEqual([true, null]);
  });

  it('for another Content-Type is a Status in JSON', async () => {
    const sent = await send('<xml/>', 'text/xml');
    expect([sent.status, sent.type, JSON.parse(sent.bytes.toString()).code]).toEqual([415, json, 3]);
  });
});

it('is told to try again where there is no room, and stores nothing', async () => {
  const small = await startWholeService({ nowMicros, settings: { requestsPerMinute: 1 } });
  try {
    const ask = () =>
      fetch(`${small.url}/v1/logs?source=edge_logs`, {
        method: 'POST',
        headers: { 'x-api-key': small.adminToken, 'content-type': protobuf },
        body: Buffer.from(protobufOf(exportOf({ attributes: [project('p')] }))),
      });
    expect((await ask()).status).toBe(200);
    const refused = await ask();
    expect([refused.status, Number(refused.headers.get('retry-after')) >= 1]).toEqual([429, true]);
    const bytes = new Uint8Array(await refused.arrayBuffer());
    expect(statusOf(bytes).code).toBe(8);
    const retry = detailsOf(bytes).find(({ type }) => type.endsWith('RetryInfo'));
    const delay = new BinaryReader(retry?.value ?? Buffer.alloc(0));
    expect(delay.tag()[0]).toBe(1);
    const duration = new BinaryReader(delay.bytes());
    expect(duration.tag()[0]).toBe(1);
    expect(String(duration.int64())).toBe(refused.headers.get('retry-after'));
  } finally {
    await small.close();
  }
});
