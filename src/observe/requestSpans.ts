import type { Randomness } from '../core/ids.ts';
import type { Observation, StageTime } from '../core/observation.ts';

/** A span in OTLP/JSON (opentelemetry-proto, `Span`): ids in hex, times in nanoseconds as text. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  /** 1: the trace is sampled. */
  readonly flags: number;
  readonly name: string;
  /** 1 internal, 2 server. */
  readonly kind: 1 | 2;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  /** 2: error. Absent otherwise. */
  readonly status?: { readonly code: 2 };
}

export interface OtlpAttribute {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string } | { readonly boolValue: boolean };
}

export type EndedRequest = Extract<Observation, { kind: 'request.completed' }>;

/**
 * The spans of a request that ended at `endMicros`: one for the request, under the caller's span if there is one, and one
 * for each stage, under the stage that contains it. Like the log, they contain nothing that a caller sent.
 */
export function requestSpans(request: EndedRequest, endMicros: number, randomness: Randomness): readonly OtlpSpan[] {
  const { trace, elapsedMs, status, route, stages = [] } = request;
  const traceId = trace?.traceId ?? hex(randomness, 16);
  const startNanos = BigInt(endMicros) * 1000n - nanos(elapsedMs);
  const server: OtlpSpan = {
    traceId,
    spanId: hex(randomness, 8),
    ...(trace === undefined ? {} : { parentSpanId: trace.spanId }),
    flags: 1,
    name: route,
    kind: 2,
    startTimeUnixNano: String(startNanos),
    endTimeUnixNano: String(startNanos + nanos(elapsedMs)),
    attributes: attributesOf(request),
    ...(status >= 500 ? { status: { code: 2 } } : {}),
  };
  const spans: { readonly stage: StageTime; readonly span: OtlpSpan }[] = [];
  // A stage ends before the stage that contains it, so the reverse order has outer stages first.
  for (const stage of [...stages].reverse()) {
    const outer = spans.findLast((other) => isWithin(stage, other.stage))?.span ?? server;
    const from = startNanos + nanos(stage.startMs);
    spans.push({
      stage,
      span: {
        traceId,
        spanId: hex(randomness, 8),
        parentSpanId: outer.spanId,
        flags: 1,
        name: stage.name,
        kind: 1,
        startTimeUnixNano: String(from),
        endTimeUnixNano: String(from + nanos(stage.elapsedMs)),
        attributes: [],
      },
    });
  }
  return [server, ...spans.map(({ span }) => span)];
}

function isWithin(inner: StageTime, outer: StageTime): boolean {
  return inner.startMs >= outer.startMs && inner.startMs + inner.elapsedMs <= outer.startMs + outer.elapsedMs;
}

/** Attributes with names of the semantic conventions if they exist, otherwise with our own. */
function attributesOf({ requestId, status, errorCode, call }: EndedRequest): readonly OtlpAttribute[] {
  const attributes: (OtlpAttribute | undefined)[] = [
    int('http.response.status_code', status),
    text('error.type', errorCode),
    text('logmill.request.id', requestId),
    text('logmill.endpoint.id', call?.endpoint?.id),
    text('logmill.endpoint.name', call?.endpoint?.name),
    int('logmill.endpoint.version', call?.endpoint?.version),
    text('logmill.token.id', call?.token),
    text('logmill.cache', call?.cache ?? undefined),
    int('logmill.rows', call?.rowCount),
    int('logmill.bytes', call?.bytes),
    call === undefined ? undefined : { key: 'logmill.caller_query', value: { boolValue: call.isCallerQuery } },
  ];
  return attributes.filter((attribute) => attribute !== undefined);
}

function text(key: string, value: string | undefined): OtlpAttribute | undefined {
  return value === undefined ? undefined : { key, value: { stringValue: value } };
}

function int(key: string, value: number | undefined): OtlpAttribute | undefined {
  return value === undefined ? undefined : { key, value: { intValue: String(value) } };
}

function nanos(ms: number): bigint {
  return BigInt(Math.round(ms * 1e6));
}

/** A random id. All zeros would not be valid. */
function hex(randomness: Randomness, bytes: number): string {
  for (;;) {
    const id = Buffer.from(randomness.bytes(bytes)).toString('hex');
    if (/[^0]/.test(id)) return id;
  }
}
