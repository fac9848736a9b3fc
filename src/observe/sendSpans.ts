import type { OtlpSpan } from './requestSpans.ts';
import type { Sent } from './traces.ts';

export interface SpanReceiver {
  /** The URL for OTLP traces, such as `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string;
  /** Additional request headers, such as `authorization`. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Statuses after which a message may be sent again (OTLP specification, "OTLP/HTTP Response"). */
const retryable: ReadonlySet<number> = new Set([429, 502, 503, 504]);

const answerMs = 10_000;

/** Sends spans as OTLP/HTTP with JSON (opentelemetry-proto, `ExportTraceServiceRequest`). Never rejects. */
export function createSendSpans(receiver: SpanReceiver, version: string) {
  const resource = { attributes: [attribute('service.name', 'logmill'), attribute('service.version', version)] };
  return async (spans: readonly OtlpSpan[], signal: AbortSignal): Promise<Sent> => {
    try {
      const response = await fetch(receiver.url, {
        method: 'POST',
        headers: { ...receiver.headers, 'content-type': 'application/json' },
        body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'logmill' }, spans }] }] }),
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
      });
      await response.arrayBuffer();
      if (response.ok) return { kind: 'sent' };
      const why = new Error(`the receiver of traces answered with status ${response.status}`);
      return { kind: retryable.has(response.status) ? 'later' : 'refused', why };
    } catch (why) {
      return { kind: 'later', why };
    }
  };
}

function attribute(key: string, stringValue: string) {
  return { key, value: { stringValue } };
}
