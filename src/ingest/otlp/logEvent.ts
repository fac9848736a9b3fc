import { hasMembers, type JsonObject, type JsonValue, memberOf } from '../../core/jsonValue.ts';
import { instantText } from '../instantText.ts';
import type { LogOrigin, LogRecord } from './logRecord.ts';

/**
 * Converts a log record to the event that a JSON sender would have written (streams.md, row "OTLP"). Its body is the
 * message. The timestamp is its time, else the observed time. The project is the attribute `project` of the record,
 * else of the resource. Everything else is metadata.
 */
export function logEvent(record: LogRecord, { resource, scope }: LogOrigin): JsonObject {
  const nanos = record.timeUnixNano === 0n ? record.observedTimeUnixNano : record.timeUnixNano;
  return {
    ...(nanos === 0n ? {} : { timestamp: instantText(nanos) }),
    event_message: record.body,
    ...present('project', projectOf(record.attributes) ?? projectOf(resource)),
    metadata: {
      ...present('resource', resource),
      ...present('scope', scope),
      ...(hasMembers(record.attributes) ? { attributes: record.attributes } : {}),
      ...present('severity', record.severityText || severityName(record.severityNumber)),
      ...present('severity_number', record.severityNumber),
      ...present('trace_id', isZero(record.traceId) ? '' : record.traceId),
      ...present('span_id', isZero(record.spanId) ? '' : record.spanId),
      ...present('flags', record.flags),
      ...present('event_name', record.eventName),
    },
  };
}

/** The member, unless its absence means the same. */
function present(name: string, value: JsonValue | undefined): JsonObject {
  return value === undefined || value === null || value === '' || value === 0 ? {} : { [name]: value };
}

function projectOf(attributes: JsonObject | null): JsonValue | undefined {
  const project = attributes === null ? undefined : memberOf(attributes, 'project');
  return project === null || project === '' ? undefined : project;
}

const severities = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'] as const;

/**
 * The short name of a SeverityNumber (log data model, "Displaying Severity"): `INFO`, `INFO2` …; empty if it has none.
 */
function severityName(number: number): string {
  if (!(number >= 1 && number <= 24)) return '';
  const step = (number - 1) % 4;
  return `${severities[Math.floor((number - 1) / 4)]}${step === 0 ? '' : step + 1}`;
}

function isZero(id: string): boolean {
  return /^0*$/.test(id);
}
