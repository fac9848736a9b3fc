import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { Row } from '../api/rowsProtocol.ts';
import { nextWith } from './nextWith.ts';
import { indexOf } from './RowList.tsx';
import type { ShownColumn } from './searchPlan.ts';

interface FindBarProps {
  /** What is looked for; null while the bar is closed. */
  readonly text: string | null;
  readonly onText: (text: string | null) => void;
  readonly rows: readonly Row[];
  readonly columns: readonly ShownColumn[];
  /** Key of the row under the keys. */
  readonly current: string | null;
  readonly onCurrent: (row: Row) => void;
}

/**
 * Finds a text in the rows that are loaded, because the browser finds only those in sight. Opens by its key; pressed again in
 * the bar, the key is the browser's.
 */
export function FindBar({ text, onText, rows, columns, current, onCurrent }: FindBarProps) {
  const field = useRef<HTMLInputElement>(null);
  const [found, setFound] = useState('');
  const open = useRef(() => {});
  open.current = () => {
    if (text === null) onText('');
    field.current?.select();
  };
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key !== 'f') return;
      if (document.activeElement === field.current || document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      open.current();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
  const isOpen = text !== null;
  useEffect(() => {
    if (isOpen) field.current?.focus();
  }, [isOpen]);
  if (text === null) return null;

  const go = (by: 1 | -1) => {
    const at = nextWith(text, rows, columns, indexOf(rows, current), by);
    const row = rows[at];
    setFound(row === undefined ? 'No loaded row has it' : `Row ${(at + 1).toLocaleString('en')}`);
    if (row !== undefined) onCurrent(row);
  };
  const close = () => {
    onText(null);
    setFound('');
    document.querySelector<HTMLElement>('.rows')?.focus();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    go(1);
  };
  return (
    <form className="bar find" onSubmit={submit}>
      <input
        ref={field}
        type="text"
        aria-label="Find in the loaded rows"
        placeholder="Find in the loaded rows"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setFound('');
          onText(event.target.value);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') close();
          else if (event.key === 'Enter' && event.shiftKey) go(-1);
          else return;
          event.preventDefault();
        }}
      />
      <button type="submit">Next</button>
      <button type="button" onClick={() => go(-1)}>
        Previous
      </button>
      <button type="button" className="quiet" onClick={close}>
        Close
      </button>
      <span role="status" className="muted">
        {found}
      </span>
    </form>
  );
}
