import { type KeyboardEvent, type Ref, useId, useRef, useState } from 'react';
import type { TableShape } from './tableShape.ts';

interface SearchBoxProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onRun: () => void;
  readonly shape: TableShape | undefined;
  readonly tables: readonly string[];
  readonly isWrong: boolean;
  /** When a path is being typed. */
  readonly onPathsWanted: () => void;
  readonly ref: Ref<HTMLInputElement>;
}

const starts = ['f:', 't:', 's:', 'c:'];
const timeValues = ['last@15m', 'last@1h', 'last@24h', 'last@7d', 'today', 'yesterday', 'this@hour'];
const chartValues = ['count(*)', 'group_by(t::minute)', 'group_by(t::hour)', 'group_by(t::day)'];
const offeredMax = 10;

/** Whether a member of events is being named. Columns are known from the newest rows. */
const beginsMember = (word: string): boolean => /^-?(s:)?(m|metadata)\.[\w.]*$/.test(word);

/** What can stand where the clause under the caret ends. */
export function offersFor(word: string, tables: readonly string[], paths: readonly string[]): readonly string[] {
  const [, minus = '', rest = ''] = /^(-?)(.*)$/.exec(word) ?? [];
  if (rest === '') return [];
  const all = rest.startsWith('f:')
    ? tables.map((table) => `f:${table}`)
    : rest.startsWith('t:')
      ? timeValues.map((value) => `t:${value}`)
      : rest.startsWith('c:')
        ? chartValues.map((value) => `c:${value}`)
        : rest.startsWith('s:')
          ? paths.map((path) => `s:${path}`)
          : [...paths.map((path) => `${path}:`), ...starts];
  const asked = rest.toLowerCase();
  const ranked = all.filter((offer) => offer !== rest && offer.toLowerCase().startsWith(asked));
  const inside = all.filter(
    (offer) => !ranked.includes(offer) && offer !== rest && asked.length > 1 && offer.toLowerCase().includes(asked),
  );
  return [...ranked, ...inside].slice(0, offeredMax).map((offer) => minus + offer);
}

const wordBefore = (text: string, caret: number): string => /\S*$/.exec(text.slice(0, caret))?.[0] ?? '';

/** The search in LQL. Enter runs it; Tab takes a completion, and the arrows choose among them. */
export function SearchBox({ text, onText, onRun, shape, tables, isWrong, onPathsWanted, ref }: SearchBoxProps) {
  const list = useId();
  const [caret, setCaret] = useState(text.length);
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const field = useRef<HTMLInputElement | null>(null);
  const word = wordBefore(text, caret);
  const from = caret - word.length;
  const offers = isOpen ? offersFor(word, tables, shape?.paths ?? []) : [];
  const take = (offer: string) => {
    const after = `${text.slice(0, from)}${offer}`;
    onText(after + text.slice(caret));
    setCaret(after.length);
    setChosen(-1);
    setOpen(offer.endsWith(':'));
    requestAnimationFrame(() => field.current?.setSelectionRange(after.length, after.length));
  };
  const keys = (event: KeyboardEvent) => {
    const offer = offers[Math.max(chosen, 0)];
    if (event.key === 'Enter') {
      event.preventDefault();
      if (chosen >= 0 && offer !== undefined) take(offer);
      else {
        setOpen(false);
        onRun();
      }
    } else if (event.key === 'Tab' && !event.shiftKey && offer !== undefined) {
      event.preventDefault();
      take(offer);
    } else if (event.key === 'ArrowDown' && offers.length > 0) {
      event.preventDefault();
      setChosen((chosen + 1) % offers.length);
    } else if (event.key === 'ArrowUp' && offers.length > 0) {
      event.preventDefault();
      setChosen((chosen - 1 + offers.length) % offers.length);
    } else if (event.key === 'Escape' && offers.length > 0) {
      event.stopPropagation();
      setOpen(false);
    }
  };
  return (
    <div className="search-box">
      <input
        ref={(element) => {
          field.current = element;
          if (typeof ref === 'function') ref(element);
          else if (ref !== null && ref !== undefined) ref.current = element;
        }}
        type="text"
        role="combobox"
        aria-label="Search in LQL"
        aria-expanded={offers.length > 0}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={chosen >= 0 && offers.length > 0 ? `${list}-${chosen}` : undefined}
        aria-invalid={isWrong}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        placeholder="words, m.path:value, -m.path:value, t:last@1h"
        value={text}
        onChange={(event) => {
          const { value } = event.target;
          const end = event.target.selectionStart ?? value.length;
          onText(value);
          setCaret(end);
          if (beginsMember(wordBefore(value, end))) onPathsWanted();
          setOpen(true);
          setChosen(-1);
        }}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart ?? 0)}
        onBlur={() => setOpen(false)}
        onKeyDown={keys}
      />
      <div id={list} role="listbox" aria-label="Completions" className="offers" hidden={offers.length === 0}>
        {offers.map((offer, index) => (
          <div
            key={offer}
            id={`${list}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onPointerDown={(event) => {
              event.preventDefault();
              take(offer);
            }}
          >
            {offer}
          </div>
        ))}
      </div>
    </div>
  );
}
