import type { BenchedQuery } from '../benchedQueries.ts';
import type { HandStatement } from './handClient.ts';

/** A time as ClickHouse reads it in a parameter of type DateTime64(6). */
export const timeText = (ms: number): string => new Date(ms).toISOString().replace('T', ' ').replace('Z', '');

/** A shipped endpoint with its parameters, written for ClickHouse, at the present time of this process. */
export function storedStatement({ definition, parameters }: BenchedQuery): HandStatement {
  const { project = '', interval = '' } = parameters;
  const given = { project, now: timeText(Date.now()) };
  switch (definition) {
    case 'logs.all':
      return { sql: newest(''), parameters: given };
    case 'logs.all.retention':
      return { sql: newest(`AND timestamp > ${now} - INTERVAL 90 DAY`), parameters: given };
    case 'functions.invocation-stats':
      return { sql: invocationStats(...windowOf(invocationWindows, interval)), parameters: given };
    case 'usage.api-counts':
      return { sql: apiCounts(...windowOf(apiWindows, interval)), parameters: given };
  }
}

const now = '{now:DateTime64(6)}';
const project = '{project:String}';

type Unit = 'Minute' | 'Hour' | 'Day';
type Window = readonly [span: string, bucket: Unit];

const invocationWindows: Readonly<Record<string, Window>> = {
  '1hr': ['1 HOUR', 'Minute'],
  '1day': ['1 DAY', 'Hour'],
  '7day': ['7 DAY', 'Day'],
};
const apiWindows: Readonly<Record<string, Window>> = {
  minutely: ['1 HOUR', 'Minute'],
  daily: ['7 DAY', 'Day'],
};

function windowOf(windows: Readonly<Record<string, Window>>, interval: string): Window {
  const found = windows[interval];
  if (found === undefined) throw new Error(`nothing is written for the interval ${interval}`);
  return found;
}

function newest(condition: string): string {
  return `SELECT id, timestamp, event_message, metadata
FROM edge_logs
WHERE project = ${project} ${condition}
ORDER BY timestamp DESC, arrival_number DESC LIMIT 100`;
}

/** An element of the sorted values, as APPROX_QUANTILES gives it here; ClickHouse's own quantiles choose other elements. */
export const percentile = (column: string, percent: number): string =>
  `arraySort(groupArray(${column}))[intDiv(${percent} * count(${column}) + 99, 100)]`;

function invocationStats(span: string, bucket: Unit): string {
  const ms = 'execution_time_ms';
  return `SELECT toStartOf${bucket}(timestamp) AS bucket, min(${ms}), max(${ms}), avg(${ms}),
  ${percentile(ms, 95)}, ${percentile(ms, 99)}, count(), countIf(response_status_code >= 400)
FROM function_edge_logs
WHERE project = ${project}
  AND timestamp >= toStartOf${bucket}(${now} - INTERVAL ${span}) AND timestamp < toStartOf${bucket}(${now}) + INTERVAL 1 ${bucket}
GROUP BY bucket ORDER BY bucket`;
}

function apiCounts(span: string, bucket: Unit): string {
  const count = (area: string) => `countIf(request_path LIKE '%/${area}%')`;
  return `SELECT toStartOf${bucket}(timestamp) AS bucket, ${['rest', 'storage', 'auth', 'realtime'].map(count).join(', ')}
FROM edge_logs
WHERE timestamp >= ${now} - INTERVAL ${span} AND match(request_url, ${project})
GROUP BY bucket ORDER BY bucket`;
}
