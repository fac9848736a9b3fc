import { memo, useState } from 'react';
import { textOf } from '../api/losslessJson.ts';
import { filterClause } from '../lql/clauses.ts';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { SafeText } from '../text/SafeText.tsx';
import type { SearchTarget } from './searchTarget.ts';
import type { TableShape } from './tableShape.ts';
import { useTopValues } from './useSearch.ts';

interface FieldListProps {
  readonly target: SearchTarget;
  readonly shape: TableShape;
  readonly lql: string;
  readonly asOf: string | undefined;
  readonly onClause: (clause: string) => void;
  readonly onColumn: (path: string) => void;
  /** When the list is searched. */
  readonly onPathsWanted: () => void;
}

/** Paths that have as many values as rows say nothing as a list. */
const single = /^(id|timestamp|event_message)$/;

/** The fields of the table, and the most frequent values of those that are open. */
export const FieldList = memo(function FieldList(props: FieldListProps) {
  const { target, shape, lql, asOf, onClause, onColumn, onPathsWanted } = props;
  const [wanted, setWanted] = useState('');
  const first = new Set([shape.level, shape.status].filter((path) => path !== null));
  const paths = [...first, ...shape.paths.filter((path) => !first.has(path) && !single.test(path))];
  const shown = paths.filter((path) => path.toLowerCase().includes(wanted.toLowerCase()));
  return (
    <aside className="fields" aria-label="Fields">
      <input
        type="search"
        placeholder="Fields"
        aria-label="Filter fields"
        value={wanted}
        onFocus={onPathsWanted}
        onChange={(event) => setWanted(event.target.value)}
      />
      <ul>
        {shown.map((path) => (
          <FieldEntry
            key={`${target.table} ${path}`}
            isOpenFirst={first.has(path)}
            {...{ target, path, lql, asOf, onClause, onColumn }}
          />
        ))}
      </ul>
      {shown.length === 0 && <p className="muted">No field has this name.</p>}
      <p className="muted small">
        Fields of a sample of the rows. Shares are of all rows of {target.table} in this time.
      </p>
    </aside>
  );
});

interface FieldEntryProps extends Omit<FieldListProps, 'shape' | 'onPathsWanted'> {
  readonly path: string;
  readonly isOpenFirst: boolean;
}

function FieldEntry({ target, path, lql, asOf, isOpenFirst, onClause, onColumn }: FieldEntryProps) {
  const [isOpen, setOpen] = useState(isOpenFirst);
  const { data, error, isFetching } = useTopValues(target, path, lql, asOf, isOpen);
  const name = path.replace(/^m\./, '');
  return (
    <li>
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary title={path}>
          <bdi>{name}</bdi>
        </summary>
        {error !== null && <ErrorBox error={error} />}
        {data === undefined && isFetching && <p className="muted">Loading</p>}
        <ul className="values">
          {(data?.values ?? []).map(({ value, count }) => {
            const share = data === undefined || data.rows === 0 ? 0 : count / data.rows;
            const clause = filterClause(path, value);
            const text = value === null ? 'none' : textOf(value).slice(0, 100);
            return (
              <li key={text}>
                <meter min={0} max={1} value={share} aria-label={`${text}: ${percent(share)}`} />
                <button
                  type="button"
                  className="value"
                  disabled={clause === null}
                  data-key="+"
                  title={`Keep only rows with ${text}`}
                  onClick={() => clause !== null && onClause(clause)}
                >
                  {value === null ? <i>none</i> : <SafeText text={text} />}
                </button>
                <span className="muted">{percent(share)}</span>
                <button
                  type="button"
                  className="quiet"
                  disabled={clause === null}
                  data-key="-"
                  aria-label={`Leave out rows with ${text}`}
                  onClick={() => clause !== null && onClause(`-${clause}`)}
                >
                  −
                </button>
              </li>
            );
          })}
        </ul>
        <button type="button" className="quiet" onClick={() => onColumn(path)}>
          Show as a column
        </button>
      </details>
    </li>
  );
}

/** Two digits are enough for a share, but a rare value is never none. */
function percent(share: number): string {
  const text = (share * 100).toFixed(share < 0.01 ? 1 : 0);
  return share > 0 && Number(text) === 0 ? '<0.1 %' : `${text} %`;
}
