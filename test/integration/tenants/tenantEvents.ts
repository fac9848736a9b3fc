import { hour, minute } from '../../support/instants.ts';
import { logStreams } from '../../support/logStreams.ts';

export interface Tenant {
  readonly project: string;
  /** Stands in every text and in no text of another tenant. */
  readonly tag: string;
  /** Every number of the tenant's events begins with these digits, except statuses. */
  readonly digits: number;
}

export const alder: Tenant = { project: 'tenant-alder', tag: 'ALDER', digits: 7_771_000 };
export const birch: Tenant = { project: 'tenant-birch', tag: 'BIRCH', digits: 8_882_000 };

export const streams = logStreams;

/** Well-formed events of a tenant in every stream, every value of which tells whose it is. */
export function plainEvents({ project, tag, digits }: Tenant, nowMicros: number, count: number) {
  return new Map(
    streams.map((stream) => {
      const events = Array.from({ length: count }, (_, i) => ({
        id: `${tag}-${stream}-${i}`,
        timestamp: nowMicros - minute - i * 7 * minute,
        event_message: JSON.stringify({ text: `${tag} message ${i}`, n: digits + i }),
        project,
        metadata: {
          host: `${tag}.example.co`,
          n: digits + i,
          words: [`${tag}-word-${i}`, tag],
          request: {
            method: i % 2 === 0 ? 'GET' : 'POST',
            path: `/rest/v1/${tag}/${i}`,
            url: `https://${tag}.example.co/rest/v1/${i}`,
            headers: { user_agent: `${tag}-agent` },
          },
          response: { status_code: i % 3 === 0 ? 500 : 200, origin_time: digits + i },
          parsed: { error_severity: `${tag}-severity`, query: `select '${tag}'` },
          function_id: `${tag}-function`,
          execution_time_ms: digits + i,
          [`only_${tag}`]: tag,
        },
      }));
      return [stream, events] as const;
    }),
  );
}

/** Texts at which one function or another fails. */
const failingTexts = [
  '(',
  '[a-',
  '*',
  '{not json',
  '{"a":{"b":',
  '2026-13-45T99:99:99Z',
  '99999999999999999999',
  '1e999',
  '=?=',
  'xyz',
  '%',
  '%Q%',
  '\\',
  'No/Zone',
  '$[',
  '',
] as const;

/** Events of a tenant at whose values functions fail, within a minute of now and at the ends of time. */
export function failingEvents({ project, tag }: Tenant, nowMicros: number) {
  const times = [
    nowMicros - minute,
    nowMicros - hour,
    nowMicros + hour,
    '1700-01-01T00:00:00Z',
    '1969-12-31T23:59:59.999999Z',
  ];
  return new Map(
    streams.map((stream) => {
      const events = failingTexts.map((text, i) => ({
        id: `${tag}-failing-${stream}-${i}`,
        timestamp: times[i % times.length],
        event_message: text,
        project,
        metadata: {
          host: text,
          n: i % 2 === 0 ? 0 : text,
          words: [text, tag],
          request: {
            method: text,
            path: text,
            url: `${tag}${text}`,
            headers: { x_real_ip: text },
            cf: { country: text },
          },
          response: { status_code: i % 3 === 0 ? 0 : text, origin_time: 1e300 * i },
          parsed: { error_severity: text },
          function_id: text,
          execution_time_ms: i % 2 === 0 ? 1e308 : -1e308,
        },
      }));
      return [stream, events] as const;
    }),
  );
}

/** Events whose values make queries fail that read them: they must fail nobody else's. */
export function poisonedEvents({ project, tag, digits }: Tenant, nowMicros: number) {
  const shapes = [
    { request: `${tag}-scalar` },
    { request: { url: `https://${tag}.example.co`, path: '/rest', headers: 'x' }, response: 5 },
    { request: [{ url: tag }, { url: tag }], words: tag, n: 0 },
    { n: `${tag}-no-number`, execution_time_ms: `${tag}`, response: { status_code: tag, origin_time: 0 } },
    { parsed: tag, host: { deep: tag }, function_id: [tag] },
    { request: { url: { deep: tag }, path: digits }, response: { status_code: { deep: tag } } },
  ];
  return new Map(
    streams.map((stream) => {
      const events = shapes.map((metadata, i) => ({
        id: `${tag}-poison-${stream}-${i}`,
        timestamp: nowMicros - minute - i * hour,
        event_message: `${tag} {not json`,
        project,
        metadata,
      }));
      return [stream, events] as const;
    }),
  );
}
