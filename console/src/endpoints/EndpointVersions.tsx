import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { bodyOf } from '../api/callApi.ts';
import type { Endpoint } from '../api/types.ts';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { ListTable } from '../parts/ListTable.tsx';
import { SafeText } from '../text/SafeText.tsx';
import { utcSecond } from '../time/utcText.ts';
import { ChangeReport } from './ChangeReport.tsx';
import { DeployBar } from './DeployBar.tsx';

interface Shown {
  readonly version: number;
  /** Against the version before, or what a restoration would change. */
  readonly kind: 'changes' | 'restore';
}

/** The versions, what changed between one and the one before, and the way back to one. */
export function EndpointVersions({ definition }: { readonly definition: Endpoint }) {
  const [shown, setShown] = useState<Shown | null>(null);
  const { data, error } = useQuery({
    queryKey: ['versions', definition.id, definition.version],
    queryFn: async ({ signal }) =>
      await bodyOf<'endpoints.versions'>(`/api/endpoints/${definition.id}/versions`, {
        query: { limit: '1000' },
        signal,
      }),
  });
  const isShown = (version: number, kind: Shown['kind']) => shown?.version === version && shown.kind === kind;
  const button = (version: number, kind: Shown['kind'], title: string) => (
    <button
      type="button"
      className="quiet"
      aria-expanded={isShown(version, kind)}
      aria-label={`${title} version ${version}`}
      onClick={() => setShown(isShown(version, kind) ? null : { version, kind })}
    >
      {title}
    </button>
  );
  if (error !== null) return <ErrorBox error={error} />;
  return (
    <>
      <ListTable
        label="Versions"
        entries={data?.result ?? []}
        keyOf={({ version }) => version}
        columns={[
          { title: 'Version', cell: ({ version }) => version },
          { title: 'Time (UTC)', kind: 'brief', cell: ({ created_at: at }) => utcSecond(at) },
          { title: 'By', kind: 'wide', cell: ({ author }) => author ?? '–' },
          { title: 'Note', kind: 'wide', cell: ({ note }) => <SafeText text={note} /> },
          {
            title: 'Actions',
            isUntitled: true,
            cell: ({ version }) => (
              <span className="bar">
                {version > 1 && button(version, 'changes', 'Changes')}
                {version < definition.version && button(version, 'restore', 'Restore')}
              </span>
            ),
          },
        ]}
      />
      {shown?.kind === 'changes' && <Changes id={definition.id} version={shown.version} />}
      {shown?.kind === 'restore' && (
        <Restore key={shown.version} definition={definition} version={shown.version} onDone={() => setShown(null)} />
      )}
    </>
  );
}

function Changes({ id, version }: { readonly id: string; readonly version: number }) {
  const { data, error } = useQuery({
    queryKey: ['diff', id, version],
    queryFn: async ({ signal }) => {
      const query = { from: String(version - 1), to: String(version) };
      return await bodyOf<'endpoints.diff'>(`/api/endpoints/${id}/diff`, { query, signal });
    },
  });
  if (error !== null) return <ErrorBox error={error} />;
  if (data === undefined) return null;
  return (
    <section aria-label={`Changes from version ${data.from} to ${data.to}`}>
      <h2>
        Version {data.from} to {data.to}
      </h2>
      <ChangeReport diff={data} />
    </section>
  );
}

interface RestoreProps {
  readonly definition: Endpoint;
  readonly version: number;
  readonly onDone: () => void;
}

/** What the restoration of a version would change, and the button that makes it. */
function Restore({ definition: { id, version: current }, version, onDone }: RestoreProps) {
  const client = useQueryClient();
  const restore = async (query: Readonly<Record<string, string>>, signal?: AbortSignal) =>
    await bodyOf<'endpoints.restore'>(`/api/endpoints/${id}/restore`, {
      method: 'POST',
      query,
      body: { version },
      signal,
    });
  const { data, error } = useQuery({
    queryKey: ['restore', id, current, version],
    retry: false,
    queryFn: async ({ signal }) => await restore({ dry_run: 'true' }, signal),
  });
  const make = async (query: Readonly<Record<string, string>>) => {
    await restore(query);
    await client.invalidateQueries({ queryKey: ['endpoint', id] });
    await client.invalidateQueries({ queryKey: ['openapi'] });
    onDone();
  };
  if (error !== null) return <ErrorBox error={error} />;
  if (data === undefined) return <p role="status">Loading</p>;
  return (
    <section aria-label={`Restore version ${version}`}>
      <h2>
        Restore version {version} as version {current + 1}
      </h2>
      {data.diff !== null && <ChangeReport diff={data.diff} callers={data.callers} notices={data.notices} />}
      {data.outcome === 'unchanged' ? (
        <p>It is the same as the current version.</p>
      ) : (
        <DeployBar
          action={`Restore version ${version}`}
          isBreaking={(data.diff?.breaking.length ?? 0) > 0}
          onDeploy={make}
        />
      )}
    </section>
  );
}
