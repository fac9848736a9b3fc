import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OtlpSpan } from '../../../src/observe/requestSpans.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

/** Stands in every value, and in nothing that the service says by itself. */
const mark = 'quxblorp';
const nowMicros = Date.UTC(2026, 4, 1, 12) * 1000;
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const callerSpan = '00f067aa0ba902b7';

let receiver: Server;
let received: { readonly headers: IncomingHttpHeaders; readonly body: string }[];
let service: WholeService;
let isClosed: boolean;

beforeEach(async () => {
  received = [];
  receiver = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  isClosed = false;
  service = await startWholeService({
    nowMicros,
    settings: {
      tracesEndpoint: `http://127.0.0.1:${port}/v1/traces`,
      tracesHeaders: 'authorization=Bearer%20receiver,x-team=logs',
      tracesPercent: 0,
    },
  });
  const event = { project: `${mark}-project`, timestamp: nowMicros, event_message: mark, metadata: { level: mark } };
  await service.send('edge_logs', [event]);
});
afterEach(async () => {
  await end();
  await new Promise((resolve) => receiver.close(resolve));
});

/** What is left is sent when the service ends. */
async function end(): Promise<void> {
  if (isClosed) return;
  isClosed = true;
  await service.close();
}

interface SentSpans {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly object[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

async function receivedSpans(): Promise<readonly OtlpSpan[]> {
  await end();
  return received
    .flatMap(({ body }) => (JSON.parse(body) as SentSpans).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

const traced = (flags: string) => ({ headers: { traceparent: `00-${traceId}-${callerSpan}-${flags}` } });

describe('traces', () => {
  it('show a call below the span of its caller, and each stage below what it is part of', async () => {
    const answer = await service.call('logs.all', { project: `${mark}-project` }, traced('01'));
    expect([answer.status, answer.body.result.length]).toEqual([200, 1]);
    const spans = await receivedSpans();
    const [server] = spans.filter(({ kind }) => kind === 2);
    expect(server).toMatchObject({ traceId, parentSpanId: callerSpan, name: 'endpoints.query', flags: 1 });
    expect(server?.attributes).toContainEqual({ key: 'logmill.endpoint.name', value: { stringValue: 'logs.all' } });
    expect(server?.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: '200' } });
    const parentOf = (name: string) => {
      const { parentSpanId } = spans.find((span) => span.name === name) ?? {};
      return spans.find(({ spanId }) => spanId === parentSpanId)?.name;
    };
    expect(['find', 'bind', 'compile', 'queue', 'run', 'shape'].map(parentOf)).toEqual(
      Array.from({ length: 6 }, () => 'endpoints.query'),
    );
    for (const { startTimeUnixNano, endTimeUnixNano } of spans) {
      expect(BigInt(startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(server?.startTimeUnixNano ?? 0));
      expect(BigInt(endTimeUnixNano)).toBeLessThanOrEqual(BigInt(server?.endTimeUnixNano ?? 0));
    }
    expect(received[0]?.headers).toMatchObject({
      authorization: 'Bearer receiver',
      'x-team': 'logs',
      'content-type': 'application/json',
    });
    expect(received[0]?.body).toContain('{"key":"service.name","value":{"stringValue":"logmill"}}');
  });

  it('never hold a value, a query, a row or a token, also not of what was refused', async () => {
    const project = `${mark}-project`;
    const sql = `select '${mark}' as x, cast('${mark}' as int64) from edge_logs`;
    const options = traced('01');
    expect((await service.call('logs.all', { project, sql, [mark]: mark }, options)).status).toBe(400);
    expect((await service.call(mark, { project }, options)).status).toBe(404);
    expect((await service.call('usage.api-counts', { project, interval: mark }, options)).status).toBe(400);
    const headers = { 'x-api-key': `${service.adminToken.slice(0, 15)}${mark}`, ...options.headers };
    expect((await service.call('logs.all', { project }, { headers })).status).toBe(401);
    await fetch(`${service.url}/${mark}?${mark}=${mark}`, options);
    const spans = await receivedSpans();
    expect(spans.filter(({ kind }) => kind === 2)).toHaveLength(5);
    const sent = received.map(({ body }) => body).join();
    expect(sent.toLowerCase()).not.toContain(mark);
    expect(sent).not.toContain(service.adminToken);
  });

  it('follow the caller that does not record its trace, and are not made of others where none are wanted', async () => {
    await service.call('logs.all', { project: 'p' }, traced('00'));
    await service.call('logs.all', { project: 'p' });
    expect(await receivedSpans()).toEqual([]);
  });
});
