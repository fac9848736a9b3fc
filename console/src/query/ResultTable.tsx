import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { type Json, textOf } from '../api/losslessJson.ts';
import type { RowsAnswer } from '../api/rowsProtocol.ts';
import { shortened } from '../api/shortened.ts';
import { SafeText } from '../text/SafeText.tsx';

const rowHeight = 24;
const cellCharsMax = 300;

/** Rows of any query as a table; numbers to the right, with all their digits. */
export function ResultTable({ answer }: { readonly answer: Pick<RowsAnswer, 'rows' | 'meta'> }) {
  const { rows, meta } = answer;
  const list = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => list.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <section ref={list} className="result-table" tabIndex={0} aria-label="Result">
      <table aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {meta.columns.map(({ name, type }) => (
              <th key={name} scope="col" className={isNumeric(type) ? 'number' : ''}>
                <SafeText text={name} /> <span className="muted">{type.toLowerCase()}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 && <Space height={before} columns={meta.columns.length} />}
          {items.map(({ index }) => (
            <tr key={index} aria-rowindex={index + 2}>
              {meta.columns.map(({ name, type }) => (
                <td key={name} className={isNumeric(type) ? 'number' : ''}>
                  <Cell value={rows[index]?.[name]} />
                </td>
              ))}
            </tr>
          ))}
          {after > 0 && <Space height={after} columns={meta.columns.length} />}
        </tbody>
      </table>
    </section>
  );
}

function Space({ height, columns }: { readonly height: number; readonly columns: number }) {
  return (
    <tr>
      <td colSpan={columns} style={{ height, padding: 0 }} />
    </tr>
  );
}

function Cell({ value }: { readonly value: Json | undefined }) {
  if (value === null || value === undefined) return <span className="muted">null</span>;
  return <SafeText text={textOf(shortened(value, cellCharsMax))} />;
}

const isNumeric = (type: string): boolean => /^(INT64|FLOAT64|NUMERIC|BIGNUMERIC)$/.test(type);
