import { describe, expect, it } from 'vitest';
import { describeCause } from './describeCause.ts';
import { writtenObservation } from './writtenObservation.ts';

describe('writtenObservation', () => {
  it('keeps the request ID and the code of a failure, with its cause as text', () => {
    const entry = writtenObservation({
      kind: 'request.failed',
      requestId: 'r-1',
      code: 'internal',
      cause: new Error('boom'),
    });
    expect(entry.level).toBe('error');
    expect(entry.fields).toMatchObject({ kind: 'request.failed', requestId: 'r-1', code: 'internal' });
    expect(String(entry.fields.cause)).toContain('boom');
  });

  it('logs probes at level debug, unless they fail', () => {
    const probe = { kind: 'request.completed', requestId: 'r', route: 'probes.readyz', elapsedMs: 1 } as const;
    expect(writtenObservation({ ...probe, status: 200 }).level).toBe('debug');
    expect(writtenObservation({ ...probe, status: 503 }).level).toBe('info');
    expect(writtenObservation({ ...probe, route: 'endpoints.query', status: 200 }).level).toBe('info');
  });

  it('writes a trace as trace_id and span_id, on every line of its request', () => {
    const trace = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', isSampled: true };
    const written = { trace_id: trace.traceId, span_id: trace.spanId };
    const ended = { requestId: 'r', status: 200, trace } as const;
    const call = {
      endpoint: { id: 'd9a2e433-3286-44d9-a3b2-96b88c809d76', name: 'logs.all', version: 2 },
      token: 'alice',
      isCallerQuery: true,
      cache: 'bypass',
      rowCount: 2,
      bytes: 10,
      answeredMs: 1500,
      stagesMs: { run: 1490 },
    } as const;
    // Traces are made of them; the log has `stagesMs`.
    const stages = [{ name: 'run', startMs: 1, elapsedMs: 1490 }];
    const lines = [
      writtenObservation({
        ...ended,
        kind: 'request.completed',
        route: 'endpoints.query',
        elapsedMs: 1600,
        call,
        stages,
      }),
      writtenObservation({ kind: 'request.failed', requestId: 'r', code: 'internal', cause: 'boom', trace }),
      writtenObservation({ ...ended, kind: 'call.slow', call }),
    ];
    for (const { fields } of lines) {
      expect(fields).toMatchObject({ requestId: 'r', ...written });
      expect(fields).not.toHaveProperty('stages');
      expect(fields).not.toHaveProperty('trace');
    }
    expect(lines[2]).toMatchObject({ level: 'warn', message: 'call.slow', fields: { call } });
  });

  it('writes a warning with its own message', () => {
    expect(writtenObservation({ kind: 'warning', message: 'disk is nearly full' })).toEqual({
      level: 'warn',
      fields: { kind: 'warning' },
      message: 'disk is nearly full',
    });
  });
});

describe('describeCause', () => {
  it('writes every cause in a chain', () => {
    const text = describeCause(new Error('outer', { cause: new Error('middle', { cause: 'root' }) }));
    for (const part of ['outer', 'middle', 'root']) expect(text).toContain(part);
  });

  it('limits the length of the text', () => {
    expect(describeCause('x'.repeat(100_000)).length).toBeLessThan(4200);
  });

  it.each([
    ['lm_0123456789abcdefABCDEF', 'token lm_0123456789abcdefABCDEF refused'],
    ['secret-value-123', 'header Authorization: Bearer secret-value-123'],
    ['pa55word', 'connect to http://user:pa55word@host/ failed'],
  ])('never writes the credential %s', (secret, text) => {
    expect(describeCause(new Error(text))).not.toContain(secret);
  });

  it('accepts values that JSON cannot write', () => {
    const circular: { self?: unknown } = {};
    circular.self = circular;
    expect(describeCause(circular)).toContain('Object');
    expect(describeCause(12n)).toContain('BigInt');
  });
});
