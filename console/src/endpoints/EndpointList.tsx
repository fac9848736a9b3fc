import { useState } from 'react';
import type { DescribedEndpoint } from '../api/describedEndpoints.ts';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { type ListColumn, ListTable } from '../parts/ListTable.tsx';
import { PageFrame } from '../parts/PageFrame.tsx';
import { TrendLine } from '../parts/TrendLine.tsx';
import { hrefOf } from '../route/route.ts';
import { useSignedIn } from '../shell/session.ts';
import { countText } from '../text/countText.ts';
import { type Usage, useUsage } from './usage.ts';

export function EndpointList() {
  const { described } = useSignedIn();
  const { data: usage, error } = useUsage();
  const [wanted, setWanted] = useState('');
  const shown = described.endpoints.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(wanted.toLowerCase()),
  );
  return (
    <PageFrame
      title="Endpoints"
      actions={
        <input
          type="search"
          placeholder="Filter"
          aria-label="Filter endpoints"
          value={wanted}
          onChange={(event) => setWanted(event.target.value)}
        />
      }
    >
      {error !== null && <ErrorBox error={error} />}
      <ListTable
        label="Endpoints"
        entries={shown}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Name',
            cell: ({ id, name, isPrimary }) => (
              <>
                <a href={hrefOf(['endpoints', id])}>{name}</a>
                {!isPrimary && <span className="muted small"> by ID</span>}
              </>
            ),
          },
          { title: 'Description', kind: 'wide', cell: ({ description }) => description },
          ...(usage === undefined ? [] : usageColumns(usage)),
        ]}
      />
      {described.endpoints.length === 0 && (
        <p className="empty">
          There are no endpoints yet. Write a definition and deploy it:{' '}
          <code>logmill endpoints new errors.by-path</code>
        </p>
      )}
    </PageFrame>
  );
}

function usageColumns(usage: ReadonlyMap<string, Usage>): readonly ListColumn<DescribedEndpoint>[] {
  const column = (title: string, text: (of: Usage | undefined) => string): ListColumn<DescribedEndpoint> => ({
    title,
    kind: 'number',
    cell: ({ id }) => text(usage.get(id)),
  });
  return [
    {
      title: 'Day',
      isUntitled: true,
      kind: 'wide',
      cell: ({ id }) => {
        const { hours = [], calls = 0 } = usage.get(id) ?? {};
        return calls === 0 ? null : (
          <TrendLine
            values={hours}
            label={`${countText(calls, 'call')} in 24 hours, by hour`}
            textOf={(value) => value.toLocaleString('en')}
          />
        );
      },
    },
    column('Calls, 24 h', (of) => (of?.calls ?? 0).toLocaleString('en')),
    column('Errors', (of) => share(of?.errors, of?.calls)),
    column('p50', (of) => millis(of?.p50)),
    column('p95', (of) => millis(of?.p95)),
    column('From cache', (of) => share(of?.hits, of?.calls)),
  ];
}

function share(part: number | undefined, whole: number | undefined): string {
  if (part === undefined || whole === undefined || whole === 0) return '–';
  return `${((part / whole) * 100).toFixed(part === 0 ? 0 : 1)} %`;
}

const millis = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
