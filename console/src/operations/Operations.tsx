import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { bodyOf, callApi } from '../api/callApi.ts';
import { textOf } from '../api/losslessJson.ts';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { ListTable } from '../parts/ListTable.tsx';
import { PageFrame } from '../parts/PageFrame.tsx';
import { useSignedIn } from '../shell/session.ts';
import { AuditTrail } from './AuditTrail.tsx';
import { Doctor } from './Doctor.tsx';
import { Figures } from './Figures.tsx';
import { Attention, SinceStart } from './SinceStart.tsx';
import { refreshMs } from './useReadings.ts';

/** What the service does now, and who did what. */
export default function Operations() {
  const { described } = useSignedIn();
  return (
    <PageFrame title="Operations">
      {described.operations.has('metrics.read') && (
        <>
          <Attention />
          <Figures />
        </>
      )}
      {described.operations.has('doctor.run') && <Doctor />}
      <RunningQueries />
      {described.operations.has('metrics.read') && <SinceStart />}
      {described.operations.has('audit.list') && <AuditTrail />}
    </PageFrame>
  );
}

function RunningQueries() {
  const { described } = useSignedIn();
  const client = useQueryClient();
  const [killed, setKilled] = useState('');
  const { data, error } = useQuery({
    queryKey: ['running'],
    refetchInterval: refreshMs,
    queryFn: async ({ signal }) => await bodyOf<'queries.list'>('/api/queries', { signal }),
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
