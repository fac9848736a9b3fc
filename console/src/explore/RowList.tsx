import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  memo,
  type PointerEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { textOf } from '../api/losslessJson.ts';
import type { Row } from '../api/rowsProtocol.ts';
import { useWidth } from '../parts/useWidth.ts';
import { SafeText } from '../text/SafeText.tsx';
import { severityLabels, severityOf } from '../text/severity.ts';
import { fractionOf, parseInstant, timeWriter, type WriteTime, type Zone } from '../time/instant.ts';
import { columnNames, idOf, type ShownColumn } from './searchPlan.ts';
import type { TableShape } from './tableShape.ts';
import { wrappedLines } from './wrappedLines.ts';

/** Key of a row in the URL. */
export const rowKey = (row: Row): string => `${parseInstant(textOf(row[columnNames.time])) ?? 0}.${idOf(row)}`;

/** Where the row of a key is; -1 if it is not there. Times are read only where the ID fits, because there may be very many rows. */
export function indexOf(rows: readonly Row[], key: string | null): number {
  if (key === null) return -1;
  const id = key.slice(key.indexOf('.') + 1);
  return rows.findIndex((row) => idOf(row) === id && rowKey(row) === key);
}

interface RowListProps {
  readonly rows: readonly Row[];
  readonly columns: readonly ShownColumn[];
  readonly shape: TableShape;
  readonly zone: Zone;
  readonly words: readonly string[];
  readonly isOld: boolean;
  /** Whether a long message has as many lines as it needs. */
  readonly isWrapped: boolean;
  /** Key of the row under the keys. */
  readonly current: string | null;
  readonly onCurrent: (row: Row) => void;
  readonly onOpen: (row: Row) => void;
  readonly onEnd: () => void;
  readonly onRemoveColumn: (path: string) => void;
}

const rowHeight = 24;
const narrowRowHeight = 48;
const lineHeight = 20;
/** Beside the message, on both sides of a row of a narrow window. */
const narrowPadding = 24;
const messageMin = 120;
const dragPixels = 4;

/** Rows of one height, or of the lines of their messages, newest first; only those in sight are in the page. */
export const RowList = memo(function RowList(props: RowListProps) {
  const { rows, columns, shape, zone, words, isOld, isWrapped, current, onCurrent, onOpen, onEnd, onRemoveColumn } =
    props;
  const list = useRef<HTMLDivElement>(null);
  const isNarrow = window.matchMedia('(max-width: 700px)').matches;
  const [messageHead, messageWidth] = useWidth(messageMin);
  const [charWidth, setCharWidth] = useState(1);
  useLayoutEffect(() => {
    if (list.current !== null) setCharWidth(charWidthOf(list.current));
  }, []);
  const lineChars = Math.floor((isNarrow ? window.innerWidth - narrowPadding : messageWidth) / charWidth);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => list.current,
    estimateSize: (index) => {
      const lines = isWrapped ? wrappedLines(textOf(rows[index]?.[columnNames.message]), lineChars) : 1;
      return (isNarrow ? narrowRowHeight : rowHeight) + (lines - 1) * lineHeight;
    },
    overscan: 12,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the heights are those of the rows.
  useLayoutEffect(() => {
    if (isWrapped) virtual.measure();
  }, [virtual, rows]);
  const write = useMemo(() => timeWriter(zone), [zone]);
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? -1;
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - 50) onEnd();
  }, [last, rows.length, onEnd]);

  // Not while scrolling: the current row can be far down in very many.
  const at = useMemo(() => indexOf(rows, current), [rows, current]);
  // What is in sight stays there: the current row, or the first one.
  const layout = `${isWrapped} ${isWrapped ? lineChars : 0}`;
  const drawn = useRef(layout);
  useLayoutEffect(() => {
    if (drawn.current === layout) return;
    drawn.current = layout;
    const { startIndex = 0, endIndex = 0 } = virtual.range ?? {};
    virtual.measure();
    if (at >= startIndex && at <= endIndex) virtual.scrollToIndex(at, { align: 'auto' });
    else if (startIndex > 0) virtual.scrollToIndex(startIndex, { align: 'start' });
  }, [virtual, layout, at]);
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at, { align: 'auto' });
  }, [at, virtual]);

  const keys = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor((list.current?.clientHeight ?? 0) / rowHeight) - 1);
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -rows.length,
      End: rows.length,
    };
    const move = moves[event.key];
    const row = rows[at];
    if (event.key === 'Enter' && row !== undefined) onOpen(row);
    else if (move === undefined) return;
    else {
      const next = rows[Math.min(rows.length - 1, Math.max(0, at + move))];
      if (next !== undefined) onCurrent(next);
    }
    event.preventDefault();
  };

  const hasLevel = shape.level !== null || shape.status !== null;
  const hasStatus = shape.status !== null && shape.level !== null;
  const template = [
    'var(--time-width)',
    ...(hasLevel ? ['48px'] : []),
    ...(hasStatus ? ['56px'] : []),
    ...columns.map(() => 'minmax(120px, 168px)'),
    'minmax(240px, 1fr)',
  ].join(' ');
  const titles = [
    'Time',
    ...(hasLevel ? [shape.level === null ? 'Status' : 'Level'] : []),
    ...(hasStatus ? ['Status'] : []),
  ];
  return (
    <div
      ref={list}
      className={['rows', isOld ? 'old' : '', isWrapped ? 'wrapped' : ''].join(' ')}
      role="grid"
      aria-label="Rows"
      aria-rowcount={rows.length + 1}
      aria-colcount={titles.length + columns.length + 1}
      aria-activedescendant={at >= 0 ? `row-${at}` : undefined}
      tabIndex={0}
      onKeyDown={keys}
    >
      <div role="row" aria-rowindex={1} className="row-head" style={{ gridTemplateColumns: template }} tabIndex={-1}>
        {titles.map((title) => (
          <span key={title} role="columnheader" tabIndex={-1}>
            {title}
          </span>
        ))}
        {columns.map(({ name, title, path }) => (
          <span key={name} role="columnheader" tabIndex={-1}>
            <bdi>{title}</bdi>
            {path !== null && (
              <button
                type="button"
                tabIndex={-1}
                aria-label={`Remove the column ${title}`}
                onClick={() => onRemoveColumn(path)}
              >
                ×
              </button>
            )}
          </span>
        ))}
        <span ref={messageHead} role="columnheader" tabIndex={-1}>
          Message
        </span>
      </div>
      <div role="rowgroup" className="row-space" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start, size }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <RowLine
              key={index}
              row={row}
              index={index}
              start={start}
              height={size}
              template={template}
              columns={columns}
              hasLevel={hasLevel}
              hasStatus={hasStatus}
              write={write}
              words={words}
              isCurrent={index === at}
              onOpen={onOpen}
            />
          );
        })}
      </div>
    </div>
  );
});

/** Pixels of a character, all of which have the same width. */
function charWidthOf(element: HTMLElement): number {
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) return 1;
  context.font = getComputedStyle(element).font;
  return context.measureText('0').width;
}

interface RowLineProps {
  readonly row: Row;
  readonly index: number;
  readonly start: number;
  readonly height: number;
  readonly template: string;
  readonly columns: readonly ShownColumn[];
  readonly hasLevel: boolean;
  readonly hasStatus: boolean;
  readonly write: WriteTime;
  readonly words: readonly string[];
  readonly isCurrent: boolean;
  readonly onOpen: (row: Row) => void;
}

const RowLine = memo(function RowLine(props: RowLineProps) {
  const { row, index, start, height, template, columns, hasLevel, hasStatus, write, words, isCurrent, onOpen } = props;
  const pressed = useRef<{ x: number; y: number } | null>(null);
  const status = row[columnNames.status];
  const level = row[columnNames.level] ?? status;
  const severity = severityOf(level);
  const micros = parseInstant(textOf(row[columnNames.time])) ?? 0;
  // Selecting text is not clicking.
  const release = useCallback(
    (event: PointerEvent) => {
      const from = pressed.current;
      pressed.current = null;
      if (from === null || event.button !== 0) return;
      if (Math.abs(event.clientX - from.x) + Math.abs(event.clientY - from.y) <= dragPixels) onOpen(row);
    },
    [onOpen, row],
  );
  return (
    <div
      role="row"
      id={`row-${index}`}
      aria-rowindex={index + 2}
      aria-selected={isCurrent}
      tabIndex={-1}
      className={`row ${isCurrent ? 'current' : ''} ${severity ?? ''}`}
      style={{ gridTemplateColumns: template, height, transform: `translateY(${start}px)` }}
      onPointerDown={(event) => {
        pressed.current = { x: event.clientX, y: event.clientY };
      }}
      onPointerUp={release}
    >
      <span role="gridcell" tabIndex={-1} className="time">
        <span className="day">{write(micros, 'day')} </span>
        {write(micros, 'time')}
        <span className="fraction">.{fractionOf(micros)}</span>
      </span>
      {hasLevel && (
        <span role="gridcell" tabIndex={-1} className="level">
          {severity !== undefined && (hasStatus || typeof level === 'string')
            ? severityLabels[severity]
            : textOf(level)}
        </span>
      )}
      {hasStatus && (
        <span role="gridcell" tabIndex={-1}>
          {textOf(status)}
        </span>
      )}
      {columns.map(({ name }) => (
        <span role="gridcell" tabIndex={-1} key={name} className="cell">
          <SafeText text={textOf(row[name])} />
        </span>
      ))}
      <span role="gridcell" tabIndex={-1} className="message">
        <SafeText text={textOf(row[columnNames.message])} words={words} />
      </span>
    </div>
  );
});
