import { otlpFormat } from '../../../ingest/otlp/otlpFormat.ts';
import { otlpProtocol } from '../../../ingest/otlp/otlpProtocol.ts';
import type { Route } from '../../route.ts';
import { ingestCall, requireIngest } from '../events/ingestCall.ts';
import { exportAnswer } from './exportAnswer.ts';
import { exportStatus } from './exportStatus.ts';

/** Ingests log records from OpenTelemetry exporters (streams.md, row "OTLP"). */
export const exportLogs: Route = {
  operation: 'otlp.export_logs',
  methods: ['POST'],
  path: '/v1/logs',
  urlParameters: 'open',
  takesBody: true,
  mediaType: 'application/x-protobuf',
  summary: 'Stores OTLP log records, in protobuf or JSON. Answers once they are durable.',
  credential: 'token',
  codeWhenFull: 'ingest.overloaded',
  bodyBytesMax: (settings) => settings.ingestBodyBytesMax,
  authorise: requireIngest,
  renderError: exportStatus,
  async handle(call, token) {
    const answer = await call.services.ingest.accept({ ...ingestCall(call, token), protocol: otlpProtocol });
    return exportAnswer(answer, otlpFormat(call.headers['content-type']));
  },
};
