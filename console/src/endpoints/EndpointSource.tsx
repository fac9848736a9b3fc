import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { callApi } from '../api/callApi.ts';
import { printJson } from '../api/losslessJson.ts';
import type { Answers, Endpoint } from '../api/types.ts';
import { CopyButton } from '../parts/CopyButton.tsx';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { ListTable } from '../parts/ListTable.tsx';
import { utcSecond } from '../time/utcText.ts';

const settings = [
  'max_rows',
  'cache_seconds',
  'warm_seconds',
  'stale_if_error_seconds',
  'timeout_ms',
  'sandbox',
  'redact_pii',
  'values',
  'strict_parameters',
  'primary',
] as const satisfies readonly (keyof Endpoint)[];

/** The query of the current version, and its settings. */
export function EndpointSource({ definition }: { readonly definition: Endpoint }) {
  return (
    <div className="source">
      <section aria-label="Query">
        <div className="bar">
          <h2>Query</h2>
          <span className="spacer" />
          <CopyButton text={definition.query} />
        </div>
        <pre className="code" tabIndex={0}>
          {definition.query}
        </pre>
      </section>
      <section aria-label="Settings">
        <h2>Settings</h2>
        <dl className="settings">
          {settings.map((name) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                {definition[name] === undefined ? <span className="muted">default</span> : String(definition[name])}
              </dd>
            </div>
          ))}
          <div>
            <dt>last change</dt>
            <dd>
              {utcSecond(definition.updated_at)} UTC
              {definition.author !== null && ` by ${definition.author}`}
            </dd>
          </div>
        </dl>
      </section>
    </div>
  );
}

/** The versions, and what changed between one and the one before. */
export function EndpointVersions({ definition }: { readonly definition: Endpoint }) {
  const [shown, setShown] = useState<number | null>(null);
  const { data, error } = useQuery({
    queryKey: ['versions', definition.id, definition.version],
    queryFn: async ({ signal }) =>
      (await callApi(`/api/endpoints/${definition.id}/versions`, { signal }))
        .body as unknown as Answers['endpoints.versions'],
  });
  const diff = useQuery({
    queryKey: ['diff', definition.id, shown],
    enabled: shown !== null && shown > 1,
    queryFn: async ({ signal }) =>
      (
        await callApi(`/api/endpoints/${definition.id}/diff`, {
          query: { from: String((shown ?? 2) - 1), to: String(shown ?? 2) },
          signal,
        })
      ).body as unknown as Answers['endpoints.diff'],
  });
  if (error !== null) return <ErrorBox error={error} />;
  return (
    <>
      <ListTable
        label="Versions"
        entries={data?.result ?? []}
        keyOf={({ version }) => version}
        columns={[
          { title: 'Version', cell: ({ version }) => version },
          { title: 'Time (UTC)', cell: ({ created_at: at }) => utcSecond(at) },
          { title: 'By', cell: ({ author }) => author ?? '–' },
          { title: 'Note', kind: 'wide', cell: ({ note }) => note },
          {
            title: 'Changes',
            isUntitled: true,
            cell: ({ version }) =>
              version > 1 && (
                <button
                  type="button"
                  className="quiet"
                  aria-expanded={shown === version}
                  onClick={() => setShown(shown === version ? null : version)}
                >
                  Changes
                </button>
              ),
          },
        ]}
      />
      {diff.error !== null && <ErrorBox error={diff.error} />}
      {shown !== null && diff.data !== undefined && <Diff diff={diff.data} />}
    </>
  );
}

function Diff({ diff }: { readonly diff: Answers['endpoints.diff'] }) {
  const { query, parameters, columns, settings: changed, breaking, from, to } = diff;
  return (
    <section aria-label={`Changes from version ${from} to ${to}`}>
      <h2>
        Version {from} to {to}
      </h2>
      {breaking.length > 0 && (
        <ul className="box warning-box">
          {breaking.map(({ message }) => (
            <li key={message}>{message}</li>
          ))}
        </ul>
      )}
      {query !== null && (
        <pre className="code">
          {numbered(query.split('\n')).map(([line, key]) => (
            <span key={key} className={line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : ''}>
              {`${line}\n`}
            </span>
          ))}
        </pre>
      )}
      <ul>
        {parameters.map(({ name, change }) => (
          <li key={`p${name}`}>
            Parameter {name}: {change}
          </li>
        ))}
        {columns.map(({ name, change, from: before, to: after }) => (
          <li key={`c${name}`}>
            Column {name}: {change} {before ?? ''} {after ?? ''}
          </li>
        ))}
        {changed.map(({ field, from: before, to: after }) => (
          <li key={`s${field}`}>
            {field}: {printJson(before)} → {printJson(after)}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Lines with keys of their own, since a text can have the same line twice. */
const numbered = (lines: readonly string[]) => lines.map((line, index) => [line, `${index} ${line}`] as const);
