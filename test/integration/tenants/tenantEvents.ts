import { hour, minute } from '../../support/instants.ts';

export interface Tenant {
  readonly project: string;
  /** Stands in every text and in no text of another tenant. */
  readonly tag: string;
  /** Every number of the tenant's events begins with these digits, except statuses. */
  readonly digits: number;
}

export const alder: Tenant = { project: 'tenant-alder', tag: 'ALDER', digits: 7_771_000 };
export const birch: Tenant = { project: 'tenant-birch', tag: 'BIRCH', digits: 8_882_000 };

export const streams = [
  'edge_logs',
  'database_logs',
  'function_edge_logs',
  'function_logs',
  'auth_logs',
  'realtime_logs',
  'storage_logs',
  'rest_api_logs',
  'pooler_logs',
] as const;

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
