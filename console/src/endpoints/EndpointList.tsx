import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { DescribedEndpoint } from '../api/describedEndpoints.ts';
import { textOf } from '../api/losslessJson.ts';
import { may } from '../api/session.ts';
import { type ListColumn, ListTable } from '../parts/ListTable.tsx';
import { hrefOf } from '../route/route.ts';
import { useRowsCalls } from '../shell/calls.ts';
import { useSignedIn } from '../shell/session.ts';

interface Usage {
  readonly calls: number;
  readonly errors: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly hits: number;
}

const usageSql = `select endpoint_id, count(*) as calls, countif(status >= 400) as errors,
  approx_quantiles(elapsed_ms, 100)[offset(50)] as p50, approx_quantiles(elapsed_ms, 100)[offset(95)] as p95,
  countif(cache = 'hit') as hits
from usage group by endpoint_id`;

/** Calls of the last day by endpoint, for tokens that may observe. */
function useUsage(): ReadonlyMap<string, Usage> | undefined {
  const { session, described } = useSignedIn();
  const calls = useRowsCalls();
  const source = described.endpoints.find(({ name }) => name === 'svc.calls');
  const { data } = useQuery({
    queryKey: ['usage', session.tokenId],
    enabled: source !== undefined && may(session, 'observe'),
    retry: false,
    queryFn: async ({ signal }) => {
      const { rows } = await calls.call({ path: source?.path ?? '', body: { sql: usageSql }, signal });
      const numberOrNull = (value: unknown): number | null =>
        value === null || value === undefined ? null : Number(value);
      return new Map(
        rows.map((row): readonly [string, Usage] => [
          textOf(row.endpoint_id),
          {
            calls: Number(row.calls),
            errors: Number(row.errors),
            p50: numberOrNull(row.p50),
            p95: numberOrNull(row.p95),
            hits: Number(row.hits),
          },
        ]),
      );
    },
  });
  return data;
}

export function EndpointList() {
  const { described } = useSignedIn();
  const usage = useUsage();
  const [wanted, setWanted] = useState('');
  const shown = described.endpoints.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(wanted.toLowerCase()),
  );
  return (
    <div className="page">
      <header className="bar">
        <h1>Endpoints</h1>
        <span className="spacer" />
        <input
          type="search"
          placeholder="Filter"
          aria-label="Filter endpoints"
          value={wanted}
          onChange={(event) => setWanted(event.target.value)}
        />
      </header>
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
    </div>
  );
}

function usageColumns(usage: ReadonlyMap<string, Usage>): readonly ListColumn<DescribedEndpoint>[] {
  const column = (title: string, text: (of: Usage | undefined) => string): ListColumn<DescribedEndpoint> => ({
    title,
    kind: 'number',
    cell: ({ id }) => text(usage.get(id)),
  });
  return [
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
