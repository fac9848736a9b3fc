import type { Protocol } from '../protocol.ts';
import { decodeOtlp, otlpTerms } from './decodeOtlp.ts';
import { otlpFormat } from './otlpFormat.ts';

/** Exports of OpenTelemetry (streams.md, row "OTLP"). */
export const otlpProtocol: Protocol = (contentType) => {
  const format = otlpFormat(contentType);
  return { terms: otlpTerms, decode: (body, limits, turns) => decodeOtlp(body, format, limits, turns) };
};
