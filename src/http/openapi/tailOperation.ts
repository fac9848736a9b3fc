import { tailFormatNames } from '../../invoke/tail/tailFormat.ts';
import { callErrors, callerQueryErrors } from './endpointOperations.ts';
import type { OperationDescription } from './operationDescription.ts';
import { inHeader, inUrl } from './schemaParts.ts';

/** Errors of calls that a tail cannot have. */
const unlike: ReadonlySet<string> = new Set([
  'page.cursor',
  'page.unorderable',
  'page.key_too_long',
  'page.unsupported',
  'stream.disabled',
  'stream.unsuitable',
  'stream.unsupported',
  'stream.http_version',
  'stream.busy',
  'format.unsuitable',
  'format.unsupported',
  'cache.only_if_cached',
]);

/** A tail of an endpoint. */
export const tailOperation: OperationDescription = {
  scope: 'query, or query:endpoint:<id>',
  parameters: [
    inUrl('format', 'Takes precedence over `Accept`.', { enum: tailFormatNames, default: 'sse' }),
    inUrl(
      'last_event_id',
      'ID after which the tail goes on. The header `Last-Event-ID` takes precedence, because browsers keep the URL if they connect again.',
    ),
    inHeader('Last-Event-ID', 'ID after which the tail goes on.'),
  ],
  query: [['project', 'blueberry']],
  answer: {
    description:
      'Rows of new events as Server-Sent Events or, with `Accept: application/x-ndjson`, as JSON objects with `event`, `id` and `data`, one on each line. Other events are `start`, `mark`, `gap`, `dropped` and `end`. Takes the parameters of a call of the endpoint.',
    schema: { type: 'string' },
  },
  errors: [
    ...callErrors.filter((code) => !unlike.has(code)),
    ...callerQueryErrors,
    'tail.refused',
    'tail.too_many',
    'tail.overloaded',
    'tail.unsupported',
    'service.draining',
  ],
};
