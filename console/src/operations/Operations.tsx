import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { callApi } from '../api/callApi.ts';
import { textOf } from '../api/losslessJson.ts';
import type { Answers } from '../api/types.ts';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { ListTable } from '../parts/ListTable.tsx';
import { useSignedIn } from '../shell/session.ts';
import { utcSecond } from '../time/utcText.ts';
import { parseMetrics, type Sample, sumOf } from './metricsText.ts';

const refreshMs = 2000;

/** What the service does now, and who did what. */
export default function Operations() {
  const { described } = useSignedIn();
  return (
    <div className="page">
      <header>
        <h1>Operations</h1>
      </header>
      {described.operations.has('metrics.read') && <Figures />}
      <RunningQueries />
      {described.operations.has('audit.list') && <AuditTrail />}
    </div>
  );
}

function Figures() {
  const { data, error } = useQuery({
    queryKey: ['metrics'],
    refetchInterval: refreshMs,
    queryFn: async ({ signal }) => parseMetrics(textOf((await callApi('/metrics', { signal })).body)),
  });
  if (error !== null) return <ErrorBox error={error} />;
  const figures = data === undefined ? [] : figuresOf(data);
  return (
    <dl className="cards">
      {figures.map(([title, text]) => (
        <div key={title} className="card">
          <dt>{title}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

function figuresOf(samples: readonly Sample[]): readonly (readonly [string, string])[] {
  const count = (name: string): string =>
    (sumOf(samples, name) ?? 0).toLocaleString('en', { maximumFractionDigits: 0 });
  const bytes = (value: number | undefined): string => (value === undefined ? '–' : bytesText(value));
  const calls = sumOf(samples, 'logmill_query_seconds_count') ?? 0;
  const seconds = sumOf(samples, 'logmill_query_seconds_sum') ?? 0;
  return [
    ['Queries running', count('logmill_queries_running')],
    ['Queries waiting', count('logmill_queries_waiting')],
    ['Queries since start', count('logmill_queries_total')],
    ['Mean query', calls === 0 ? '–' : `${((seconds / calls) * 1000).toFixed(1)} ms`],
    ['Slow calls', count('logmill_slow_calls_total')],
    ['Requests refused or failed', count('logmill_http_errors_total')],
    ['Event files', count('logmill_event_files')],
    ['Results in memory', `${count('logmill_cache_entries')}, ${bytes(sumOf(samples, 'logmill_cache_bytes'))}`],
    ['Memory', bytes(sumOf(samples, 'process_resident_memory_bytes'))],
    ['Disk free', bytes(sumOf(samples, 'logmill_disk_free_bytes'))],
    ['Engine restarts', count('logmill_engine_exits_total')],
    ['Warnings', count('logmill_warnings_total')],
  ];
}

function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(bytes, 1)) / 10)));
  const value = bytes / 1024 ** power;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[power]}`;
}

function RunningQueries() {
  const { described } = useSignedIn();
  const client = useQueryClient();
  const [killed, setKilled] = useState('');
  const { data, error } = useQuery({
    queryKey: ['running'],
    refetchInterval: refreshMs,
    queryFn: async ({ signal }) =>
      (await callApi('/api/queries', { signal })).body as unknown as Answers['queries.list'],
  });
  const kill = async (id: string) => {
    try {
      await callApi(`/api/queries/${id}`, { method: 'DELETE' });
      setKilled(`${id} is being stopped.`);
    } catch (failed) {
      setKilled(failed instanceof Error ? failed.message : 'It was not stopped.');
    }
    await client.invalidateQueries({ queryKey: ['running'] });
  };
  return (
    <section aria-label="Running queries">
      <h2>Running queries</h2>
      {error !== null && <ErrorBox error={error} />}
      {data?.silent_nodes !== undefined && (
        <p className="warning-text">
          These nodes did not answer, so their queries are missing: {data.silent_nodes.join(', ')}
        </p>
      )}
      <p role="status">{killed}</p>
      {data !== undefined && data.queries.length === 0 && <p className="muted">No query runs or waits.</p>}
      {data !== undefined && data.queries.length > 0 && (
        <ListTable
          label="Queries"
          entries={data.queries}
          keyOf={({ id }) => id}
          columns={[
            { title: 'Endpoint', cell: ({ endpoint }) => textOf(endpoint.name ?? endpoint.id) },
            { title: 'Token', cell: ({ token }) => token ?? 'cache warming' },
            { title: 'Stage', cell: ({ stage }) => stage },
            { title: 'For', kind: 'number', cell: ({ elapsed_ms: elapsed }) => `${(elapsed / 1000).toFixed(1)} s` },
            {
              title: 'Actions',
              isUntitled: true,
              cell: ({ id }) =>
                described.operations.has('queries.kill') && (
                  <button type="button" className="quiet" onClick={() => void kill(id)}>
                    Stop
                  </button>
                ),
            },
          ]}
        />
      )}
    </section>
  );
}

function AuditTrail() {
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['audit'],
    initialPageParam: '',
    queryFn: async ({ pageParam, signal }) =>
      (
        await callApi('/api/audit', {
          query: { limit: '50', ...(pageParam === '' ? {} : { cursor: pageParam }) },
          signal,
        })
      ).body as unknown as Answers['audit.list'],
    getNextPageParam: ({ next }) => next,
  });
  const entries = data?.pages.flatMap(({ result }) => result) ?? [];
  return (
    <section aria-label="Audit trail">
      <h2>Audit trail</h2>
      {error !== null && <ErrorBox error={error} />}
      {data !== undefined && entries.length === 0 && <p className="muted">Nothing was changed yet.</p>}
      {entries.length > 0 && (
        <ListTable
          label="Changes"
          entries={entries}
          keyOf={({ sequence }) => sequence}
          columns={[
            { title: 'Time (UTC)', cell: ({ at }) => utcSecond(at) },
            { title: 'Who', cell: ({ actor }) => actor ?? '–' },
            { title: 'What', cell: ({ action }) => action },
            { title: 'On', kind: 'wide', cell: ({ target }) => target ?? '' },
            { title: 'Outcome', cell: ({ code }) => code ?? 'done' },
          ]}
        />
      )}
      {hasNextPage && (
        <button type="button" onClick={() => void fetchNextPage()}>
          More
        </button>
      )}
    </section>
  );
}
