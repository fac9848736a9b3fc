import { jsonAnswer, type Route } from '../../route.ts';
import { ingestCall, requireIngest } from './ingestCall.ts';

const paths = [
  ['events.append', '/api/logs'],
  ['events.append_short', '/logs'],
  ['events.append_alias', '/api/events'],
] as const;

/** Ingests events (streams.md, "Ingestion"). The same operation under the three paths that shippers use. */
export const appendEvents: readonly Route[] = paths.map(
  ([operation, path]): Route => ({
    operation,
    methods: ['POST'],
    path,
    urlParameters: 'open',
    takesBody: true,
    summary: 'Stores a batch of events of one source. Answers once they are durable.',
    credential: 'token',
    codeWhenFull: 'ingest.overloaded',
    bodyBytesMax: (settings) => settings.ingestBodyBytesMax,
    authorise: requireIngest,
    async handle(call, token) {
      const answer = await call.services.ingest.accept(ingestCall(call, token));
      return jsonAnswer(answer, { 'cache-control': 'no-store' });
    },
  }),
);
