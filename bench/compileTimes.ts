import { join } from 'node:path';
import { loadDefinitionFiles } from '../src/endpoints/loadDefinitionFiles.ts';
import { compileCaller } from '../src/googlesql/compile.ts';
import { builtinSources } from '../src/sources/builtin.ts';
import { median, percentile } from './percentile.ts';

const rounds = 60;
const warmRounds = 20;

const wideSelect = (bytes: number): string => {
  const items: string[] = [];
  while (items.join(',\n').length < bytes - 200)
    items.push(
      `coalesce(upper(request.headers.user_agent), '-') as agent_${items.length}, response.status_code + ${items.length} as code_${items.length}`,
    );
  return `select ${items.join(',\n')} from edge_logs as t cross join unnest(t.metadata) as m cross join unnest(m.request) as request cross join unnest(m.response) as response`;
};

const longFilter = (bytes: number): string => {
  const terms: string[] = [];
  while (terms.join(' or ').length < bytes - 100)
    terms.push(`(event_message like '%text ${terms.length}%' and metadata.request.method != 'M${terms.length}')`);
  return `select id from edge_logs where ${terms.join(' or ')}`;
};

const union = (arms: number): string => {
  const tables = ['edge_logs', 'database_logs', 'auth_logs', 'storage_logs', 'realtime_logs', 'function_logs'];
  const each = Array.from(
    { length: arms },
    (_, n) =>
      `select id, timestamp, event_message, '${n}' as origin from ${tables[n % tables.length]} where event_message like '%${n}%' and timestamp > timestamp_sub(current_timestamp(), interval ${n + 1} hour)`,
  );
  return `${each.join(' union all ')} order by timestamp desc limit 100`;
};

export interface CompileTime {
  readonly what: string;
  readonly bytes: number;
  readonly medianMs: number;
  readonly p99Ms: number;
}

/** Measures how long compiling takes for a new caller query, in this process. */
export function compileTimes(): readonly CompileTime[] {
  const found = loadDefinitionFiles(join(import.meta.dirname, '..', 'definitions'));
  const logsAll = found.find(({ file }) => file === 'logs.all.yaml')?.definition;
  if (logsAll === undefined) throw new Error('no definition logs.all');
  const context = {
    sources: new Map(builtinSources.map((source) => [source.name, source] as const)),
    parameters: new Map(logsAll.parameters.map(({ name, type }) => [name, type] as const)),
  };
  const cases = [
    ['a select list of 10 kB', wideSelect(10_000)],
    ['a filter of 10 kB', longFilter(10_000)],
    ['a union of 13 arms', union(13)],
  ] as const;
  return cases.map(([what, sql]) => {
    const times: number[] = [];
    for (let round = -warmRounds; round < rounds; round++) {
      const startedMs = performance.now();
      compileCaller(sql, logsAll.query, context);
      if (round >= 0) times.push(performance.now() - startedMs);
    }
    return { what, bytes: sql.length, medianMs: median(times), p99Ms: percentile(times, 0.99) };
  });
}
