import type { Endpoint } from '../api/types.ts';
import { CopyButton } from '../parts/CopyButton.tsx';
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
        <dl className="settings">
          {settings.map((name) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                {definition[name] === undefined ? <span className="muted">default</span> : String(definition[name])}
              </dd>
            </div>
          ))}
          {definition.retention !== undefined && (
            <div>
              <dt>retention</dt>
              <dd>
                by {definition.retention.parameter}, otherwise {definition.retention.otherwise} days
              </dd>
            </div>
          )}
          <div>
            <dt>tables for callers</dt>
            <dd>{tables.length === 0 ? 'none' : tables.join(', ')}</dd>
          </div>
          <div>
            <dt>ID</dt>
            <dd>
              <code>{definition.id}</code>
            </dd>
          </div>
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
