import type { ReactNode } from 'react';
import type { Endpoint } from '../api/types.ts';
import { CopyButton } from '../parts/CopyButton.tsx';
import { FactList } from '../parts/FactList.tsx';
import { ListTable } from '../parts/ListTable.tsx';
import { SafeText } from '../text/SafeText.tsx';
import { utcSecond } from '../time/utcText.ts';
import { MarkedSql, parameterSpans } from './MarkedSql.tsx';

const settings = [
  'max_rows',
  'cache_seconds',
  'warm_seconds',
  'stale_if_error_seconds',
  'timeout_ms',
  'sandbox',
  'redact_pii',
  'values',
  'stream',
  'strict_parameters',
  'primary',
] as const satisfies readonly (keyof Endpoint)[];

interface EndpointSourceProps {
  readonly definition: Endpoint;
  /** That queries of callers can read. */
  readonly tables: readonly string[];
}

/** The query of the current version, its parameters and its settings. */
export function EndpointSource({ definition, tables }: EndpointSourceProps) {
  const parameters = Object.entries(definition.parameters ?? {});
  return (
    <div className="source">
      <section aria-label="Query">
        <div className="bar">
          <h2>Query</h2>
          <span className="spacer" />
          <CopyButton text={definition.query} />
        </div>
        <MarkedSql
          label="Text of the query"
          text={definition.query}
          spans={parameterSpans(
            definition.query,
            parameters.map(([name]) => name),
          )}
        />
        {parameters.length > 0 && (
          <ListTable
            label="Parameters"
            entries={parameters}
            keyOf={([name]) => name}
            columns={[
              { title: 'Parameter', cell: ([name]) => <code>{name}</code> },
              { title: 'Type', cell: ([, { type }]) => type },
              {
                title: 'Without it',
                cell: ([, { required, default: value }]) =>
                  required === true ? 'refused' : value === undefined ? 'NULL' : <SafeText text={String(value)} />,
              },
              {
                title: 'Description',
                kind: 'wide',
                cell: ([, { description }]) => <SafeText text={description ?? ''} />,
              },
            ]}
          />
        )}
      </section>
      <section aria-label="Settings">
        <h2>Settings</h2>
        <FactList facts={factsOf(definition, tables)} />
      </section>
    </div>
  );
}

function factsOf(definition: Endpoint, tables: readonly string[]): readonly (readonly [string, ReactNode])[] {
  const { retention, author } = definition;
  return [
    ...settings.map((name): readonly [string, ReactNode] => {
      const value = definition[name];
      return [
        name,
        value === undefined ? (
          <span key={name} className="muted">
            default
          </span>
        ) : (
          String(value)
        ),
      ];
    }),
    ...(retention === undefined
      ? []
      : ([['retention', `by ${retention.parameter}, otherwise ${retention.otherwise} days`]] as const)),
    ['tables for callers', tables.length === 0 ? 'none' : tables.join(', ')],
    ['ID', <code key="id">{definition.id}</code>],
    ['last change', `${utcSecond(definition.updated_at)} UTC${author === null ? '' : ` by ${author}`}`],
  ];
}
