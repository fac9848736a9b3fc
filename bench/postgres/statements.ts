import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchedQuery } from '../benchedQueries.ts';
import type { Statement } from './statement.ts';

/** A caller query, written for PostgreSQL. */
export function callerStatement(name: string): Statement {
  return { title: name, text: readFileSync(join(import.meta.dirname, 'callers', `${name}.sql`), 'utf8') };
}

/** A shipped endpoint with its parameters, written for PostgreSQL. */
export function storedStatement({ title, definition, parameters }: BenchedQuery): Statement {
  switch (definition) {
    case 'logs.all':
      return { title, text: newest('') };
    case 'logs.all.retention':
      return { title, text: newest(`AND timestamp > {now} - interval '90 days'`) };
    case 'functions.invocation-stats':
      return { title, text: invocationStats(...windowOf(invocationWindows, parameters.interval)) };
    case 'usage.api-counts':
      return { title, text: apiCounts(...windowOf(apiWindows, parameters.interval)) };
  }
}

type Window = readonly [span: string, bucket: string];

const invocationWindows: Readonly<Record<string, Window>> = {
  '1hr': ['1 hour', 'minute'],
  '1day': ['1 day', 'hour'],
  '7day': ['7 days', 'day'],
};
const apiWindows: Readonly<Record<string, Window>> = {
  minutely: ['1 hour', 'minute'],
  daily: ['7 days', 'day'],
};

function windowOf(windows: Readonly<Record<string, Window>>, interval: string | undefined): Window {
  const found = windows[interval ?? ''];
  if (found === undefined) throw new Error(`nothing is written for the interval ${interval}`);
  return found;
}

function newest(condition: string): string {
  return `
    SELECT id, timestamp, event_message, body->'metadata' AS metadata
    FROM events
    WHERE stream = 'edge_logs' AND body->>'project' = {project} ${condition}
    ORDER BY timestamp DESC, id DESC LIMIT 100`;
}

function invocationStats(span: string, bucket: string): string {
  return `
    SELECT date_trunc('${bucket}', timestamp) AS timestamp, min(ms), max(ms), avg(ms),
      percentile_disc(0.95) WITHIN GROUP (ORDER BY ms), percentile_disc(0.99) WITHIN GROUP (ORDER BY ms),
      count(*), count(*) FILTER (WHERE status >= 400)
    FROM (
      SELECT timestamp, (body#>>'{metadata,execution_time_ms}')::float8 AS ms,
        (body#>>'{metadata,response,status_code}')::int AS status
      FROM events
      WHERE stream = 'function_edge_logs' AND body->>'project' = {project}
        AND timestamp >= date_trunc('${bucket}', {now} - interval '${span}')
        AND timestamp < date_trunc('${bucket}', {now}) + interval '1 ${bucket}'
    ) AS invocations
    GROUP BY 1 ORDER BY 1`;
}

/** The endpoint searches for a pattern in the url, which no index of the usual design supports. */
function apiCounts(span: string, bucket: string): string {
  const count = (area: string) => `count(*) FILTER (WHERE path LIKE '%/${area}%')`;
  return `
    SELECT date_trunc('${bucket}', timestamp) AS timestamp, ${['rest', 'storage', 'auth', 'realtime'].map(count).join(', ')}
    FROM (
      SELECT timestamp, body#>>'{metadata,request,path}' AS path
      FROM events
      WHERE stream = 'edge_logs' AND timestamp >= {now} - interval '${span}'
        AND body#>>'{metadata,request,url}' ~ {project}
    ) AS requests
    GROUP BY 1 ORDER BY 1`;
}
