import { type FormEvent, useEffect, useId, useState } from 'react';
import { comparingClause, type FilterPart, operators, withPart } from '../lql/filterParts.ts';
import { SafeText } from '../text/SafeText.tsx';
import type { TableShape } from './tableShape.ts';

interface FilterListProps {
  readonly parts: readonly FilterPart[];
  readonly shape: TableShape | undefined;
  /** Whether the text has changed since. */
  readonly isOld: boolean;
  readonly onSearch: (lql: string) => void;
  /** When paths are about to be completed. */
  readonly onPathsWanted: () => void;
}

const kindWords: Readonly<Record<FilterPart['kind'], string>> = {
  from: 'stream',
  aggregate: 'chart',
  period: 'by time',
  select: 'column',
  time: 'time',
  level: 'level',
  field: 'member',
  text: 'message',
};

/** The clauses of the search, one field for each. */
export function FilterList({ parts, shape, isOld, onSearch, onPathsWanted }: FilterListProps) {
  const id = useId();
  return (
    <section className={isOld ? 'filter-list old' : 'filter-list'} aria-label="Filters of the search">
      <ul>
        {parts.map((part, index) => (
          <li key={part.key} className="filter">
            {part.compared === null && <span className="muted small">{kindWords[part.kind]}</span>}
            {part.compared === null ? (
              <code>
                <SafeText text={part.text} />
              </code>
            ) : (
              <Comparison
                part={part}
                compared={part.compared}
                onChange={(text) => onSearch(withPart(parts, index, text))}
              />
            )}
            {part.kind !== 'from' && (
              <button
                type="button"
                className="quiet"
                aria-label={`Remove ${part.text}`}
                onClick={() => onSearch(withPart(parts, index, null))}
              >
                ×
              </button>
            )}
          </li>
        ))}
        <li>
          <NewFilter
            listId={id}
            onAdd={(clause) => onSearch([...parts.map(({ text }) => text), clause].join(' '))}
            onPathsWanted={onPathsWanted}
          />
        </li>
      </ul>
      <datalist id={id}>
        {(shape?.paths ?? []).map((path) => (
          <option key={path} value={path} />
        ))}
      </datalist>
    </section>
  );
}

interface ComparisonProps {
  readonly part: FilterPart;
  readonly compared: NonNullable<FilterPart['compared']>;
  readonly onChange: (clause: string) => void;
}

function Comparison({ part, compared, onChange }: ComparisonProps) {
  const { path, op, value } = compared;
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  // The other changes keep what is typed. They come right after the search for it, and would undo it.
  const change = ({ by = op, isNegated = part.isNegated }) =>
    onChange(comparingClause(path, by, typed === '' ? value : typed, isNegated));
  const apply = () => {
    if (typed !== value && typed !== '') change({});
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <button
        type="button"
        className="quiet"
        aria-pressed={part.isNegated}
        aria-label={`Not ${path}`}
        title="Rows that do not match"
        onClick={() => change({ isNegated: !part.isNegated })}
      >
        not
      </button>
      <bdi>{path.replace(/^m\./, '')}</bdi>
      <OperatorSelect label={`Operator of ${path}`} op={op} onOp={(by) => change({ by })} />
      <input
        type="text"
        aria-label={`Value of ${path}`}
        autoComplete="off"
        spellCheck={false}
        size={Math.min(Math.max(typed.length, 4), 24)}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={apply}
      />
    </form>
  );
}

interface OperatorSelectProps {
  readonly label: string;
  readonly op: string;
  readonly onOp: (op: string) => void;
}

function OperatorSelect({ label, op, onOp }: OperatorSelectProps) {
  return (
    <select aria-label={label} value={op} onChange={(event) => onOp(event.target.value)}>
      {operators.map(([each, word]) => (
        <option key={each} value={each}>
          {word}
        </option>
      ))}
    </select>
  );
}

interface NewFilterProps extends Pick<FilterListProps, 'onPathsWanted'> {
  readonly listId: string;
  readonly onAdd: (clause: string) => void;
}

function NewFilter({ listId, onAdd, onPathsWanted }: NewFilterProps) {
  const [path, setPath] = useState('');
  const [op, setOp] = useState<string>(':');
  const [value, setValue] = useState('');
  const isPath = /^\w+(\.\w+)*$/.test(path);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isPath || value === '') return;
    onAdd(comparingClause(path, op, value, false));
    setPath('');
    setValue('');
  };
  return (
    <form className="filter" onSubmit={submit}>
      <input
        type="text"
        aria-label="Member of the new filter"
        list={listId}
        placeholder="m.path"
        autoComplete="off"
        spellCheck={false}
        size={18}
        value={path}
        onFocus={onPathsWanted}
        onChange={(event) => setPath(event.target.value)}
      />
      <OperatorSelect label="Operator of the new filter" op={op} onOp={setOp} />
      <input
        type="text"
        aria-label="Value of the new filter"
        placeholder="value"
        autoComplete="off"
        spellCheck={false}
        size={10}
        value={value}
        onChange={(event) => setValue(event.target.value)}
      />
      <button type="submit" disabled={!isPath || value === ''}>
        Add
      </button>
    </form>
  );
}
