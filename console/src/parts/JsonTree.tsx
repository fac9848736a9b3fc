import { useState } from 'react';
import { isList, isObject, type Json, printJson } from '../api/losslessJson.ts';
import { SafeText } from '../text/SafeText.tsx';
import { LongText } from './LongText.tsx';

/** Members shown of one value before it says that there are more. */
const membersMax = 200;
const textMax = 2000;

interface TreeActions {
  /** What can be done with a scalar, such as keeping rows with it. */
  readonly actionsOf: (path: readonly string[], value: Json) => React.ReactNode;
}

interface JsonTreeProps extends TreeActions {
  readonly value: Json;
  readonly path?: readonly string[];
}

/** A value as a tree. Large ones open in pieces. */
export function JsonTree({ value, path = [], actionsOf }: JsonTreeProps) {
  const [shown, setShown] = useState(membersMax);
  const entries: readonly (readonly [string, Json])[] = isList(value)
    ? value.map((each, index) => [String(index), each] as const)
    : isObject(value)
      ? Object.entries(value)
      : [];
  return (
    <ul className="tree">
      {entries.slice(0, shown).map(([name, each]) => (
        <TreeEntry key={name} name={name} value={each} path={[...path, name]} actionsOf={actionsOf} />
      ))}
      {entries.length > shown && (
        <li>
          <button type="button" className="quiet" onClick={() => setShown(shown + membersMax)}>
            {(entries.length - shown).toLocaleString('en')} more
          </button>
        </li>
      )}
    </ul>
  );
}

interface TreeEntryProps extends TreeActions {
  readonly name: string;
  readonly value: Json;
  readonly path: readonly string[];
}

const openDepth = 3;

function TreeEntry({ name, value, path, actionsOf }: TreeEntryProps) {
  const [isOpen, setOpen] = useState(path.length <= openDepth);
  const isNested = isObject(value) || isList(value);
  const size = isObject(value) ? Object.keys(value).length : isList(value) ? value.length : 0;
  if (!isNested || size === 0) {
    return (
      <li className="leaf">
        <span className="name">
          <SafeText text={name} />
        </span>
        <span className={`value ${value === null ? 'null' : typeof value}`}>
          <LongText text={typeof value === 'string' ? value : printJson(value)} first={textMax} />
        </span>
        <span className="actions">{actionsOf(path, value)}</span>
      </li>
    );
  }
  return (
    <li>
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <SafeText text={name} /> <span className="muted">{isList(value) ? `[${size}]` : `{${size}}`}</span>
        </summary>
        {isOpen && <JsonTree value={value} path={path} actionsOf={actionsOf} />}
      </details>
    </li>
  );
}
