import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type Json, printJson, textOf } from '../api/losslessJson.ts';
import type { Row } from '../api/rowsProtocol.ts';
import { equalsClause, filterClause, lqlPath } from '../lql/clauses.ts';
import { CopyButton } from '../parts/CopyButton.tsx';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { JsonTree } from '../parts/JsonTree.tsx';
import { LongText, textPage } from '../parts/LongText.tsx';
import { useRowsCalls } from '../shell/calls.ts';
import { useKeys } from '../shell/useKeys.ts';
import { SafeText } from '../text/SafeText.tsx';
import { fractionOf, parseInstant, printInstant, timeWriter, type Zone, zoneName } from '../time/instant.ts';
import { cellCharsMax, type SearchTarget } from './searchTarget.ts';
import { sqlPath } from './tableShape.ts';

interface RowPaneProps {
  readonly target: SearchTarget;
  /** `MICROS.ID`. */
  readonly rowKey: string;
  readonly zone: Zone;
  readonly tab: 'tree' | 'raw' | 'context';
  readonly onTab: (tab: 'tree' | 'raw' | 'context') => void;
  readonly onClose: () => void;
  readonly onClause: (clause: string) => void;
  readonly onColumn: (path: string) => void;
  readonly onRow: (key: string) => void;
}

const tabs = ['tree', 'raw', 'context'] as const;
const tabTitles = { tree: 'Tree', raw: 'Raw', context: 'Context' } as const;

/** The whole event of a row, and the rows around it. */
export function RowPane(props: RowPaneProps) {
  const { target, rowKey, zone, tab, onTab, onClose } = props;
  const calls = useRowsCalls();
  const pane = useRef<HTMLElement>(null);
  const [micros, id] = parsedKey(rowKey);
  const { data: row, error } = useQuery({
    queryKey: ['row', target.endpoint.id, target.parameters, target.table, rowKey],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 120_000,
    queryFn: async ({ signal }): Promise<Row | null> => {
      const lql = `f:${target.table} ${equalsClause('id', id)} t:${printInstant(micros)} s:*`;
      const { rows } = await calls.call({ path: target.endpoint.path, body: { ...target.parameters, lql }, signal });
      return rows[0] ?? null;
    },
  });
  useKeys({ Escape: onClose, c: () => pane.current?.querySelector<HTMLButtonElement>('.copy-row button')?.click() });
  const write = timeWriter(zone);
  return (
    <section ref={pane} className="pane" aria-label="Row">
      <header>
        <h2>
          {write(micros, 'full')}.{fractionOf(micros)} <span className="muted">{zoneName(zone)}</span>
        </h2>
        <div className="tabs" role="tablist" aria-label="Views of the row">
          {tabs.map((each) => (
            <button key={each} type="button" role="tab" aria-selected={each === tab} onClick={() => onTab(each)}>
              {tabTitles[each]}
            </button>
          ))}
        </div>
        <span className="copy-row">
          <CopyButton text={() => printJson(row ?? null)} label="Copy the row as JSON" />
        </span>
        <button type="button" className="quiet" aria-label="Close the row" onClick={onClose}>
          ×
        </button>
      </header>
      <div className="pane-body">
        {error !== null && <ErrorBox error={error} />}
        {row === undefined && error === null && <p role="status">Loading</p>}
        {row === null && <p>This row is not there any more, or it is not in {target.table}.</p>}
        {row !== null && row !== undefined && tab === 'tree' && <Tree row={row} {...props} />}
        {row !== null && row !== undefined && tab === 'raw' && <Raw row={row} />}
        {tab === 'context' && <Context {...props} micros={micros} id={id} />}
      </div>
    </section>
  );
}

function parsedKey(key: string): readonly [number, string] {
  const at = key.indexOf('.');
  return [Number(key.slice(0, at)), key.slice(at + 1)];
}

function Tree({ row, onClause, onColumn }: RowPaneProps & { readonly row: Row }) {
  const { event_message: message, ...others } = row;
  const actionsOf = (path: readonly string[], value: Json) => {
    const written = lqlPath(path);
    const clause = written === null ? null : filterClause(written, value);
    return (
      <>
        {clause !== null && (
          <>
            <button
              type="button"
              className="quiet"
              data-key="+"
              aria-label={`Keep only ${written} with this value`}
              onClick={() => onClause(clause)}
            >
              +
            </button>
            <button
              type="button"
              className="quiet"
              data-key="-"
              aria-label={`Leave out ${written} with this value`}
              onClick={() => onClause(`-${clause}`)}
            >
              −
            </button>
          </>
        )}
        {written !== null && (
          <button
            type="button"
            className="quiet"
            aria-label={`Show ${written} as a column`}
            onClick={() => onColumn(written)}
          >
            col
          </button>
        )}
        <CopyButton text={sqlPath(written ?? path.join('.'))} label={`Copy the path ${path.join('.')}`}>
          path
        </CopyButton>
      </>
    );
  };
  return (
    <>
      {typeof message === 'string' && (
        <pre className="message">
          <LongText text={message} first={messageChars} />
        </pre>
      )}
      <JsonTree value={others} actionsOf={actionsOf} />
    </>
  );
}

const messageChars = 4096;

function Raw({ row }: { readonly row: Row }) {
  const [page, setPage] = useState(0);
  const text = printJson(row);
  const pages = Math.max(1, Math.ceil(text.length / textPage));
  return (
    <>
      {pages > 1 && (
        <p className="muted">
          Part {page + 1} of {pages}{' '}
          <button type="button" disabled={page === 0} onClick={() => setPage(page - 1)}>
            Previous
          </button>{' '}
          <button type="button" disabled={page === pages - 1} onClick={() => setPage(page + 1)}>
            Next
          </button>
        </p>
      )}
      <pre role="region" tabIndex={0} aria-label="The event as JSON">
        <SafeText text={text.slice(page * textPage, (page + 1) * textPage)} isMultiline />
      </pre>
    </>
  );
}

const aroundMax = 10;

interface ContextProps extends RowPaneProps {
  readonly micros: number;
  readonly id: string;
}

/** The rows before and after, of the same table and project, whatever the search says. */
function Context({ target, micros, id, zone, onRow }: ContextProps) {
  const calls = useRowsCalls();
  const current = useRef<HTMLLIElement>(null);
  const { data, error } = useQuery({
    queryKey: ['around', target.endpoint.id, target.parameters, target.table, micros],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const at = `timestamp '${printInstant(micros)}'`;
      const side = async (condition: string, order: string) => {
        const sql = `select id, timestamp, event_message from \`${target.table}\` where ${condition} order by ${order} limit ${aroundMax}`;
        return await calls.call({
          path: target.endpoint.path,
          body: { ...target.parameters, sql },
          charsMax: cellCharsMax,
          signal,
        });
      };
      const [before, after] = await Promise.all([
        side(`timestamp < ${at}`, 'timestamp desc'),
        side(`timestamp >= ${at}`, 'timestamp'),
      ]);
      return [...after.rows.toReversed(), ...before.rows];
    },
  });
  useEffect(() => {
    if (data !== undefined) current.current?.scrollIntoView({ block: 'nearest' });
  }, [data]);
  const write = timeWriter(zone);
  if (error !== null) return <ErrorBox error={error} />;
  return (
    <ol className="around">
      {(data ?? []).map((row) => {
        const at = parseInstant(textOf(row.timestamp)) ?? 0;
        const isThis = row.id === id;
        return (
          <li key={`${at}.${textOf(row.id)}`} ref={isThis ? current : null} className={isThis ? 'current' : ''}>
            <button
              type="button"
              className="quiet"
              aria-current={isThis}
              onClick={() => onRow(`${at}.${textOf(row.id)}`)}
            >
              {write(at, 'time')}.{fractionOf(at)}
            </button>
            <span className="message">
              <SafeText text={textOf(row.event_message)} />
            </span>
          </li>
        );
      })}
    </ol>
  );
}
