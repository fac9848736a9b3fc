import type { ReactNode } from 'react';

/** A column of a list. */
export interface ListColumn<Entry> {
  readonly title: string;
  /** `number` aligns right; narrow windows omit `wide`; `brief`, such as a time, stays on one line. */
  readonly kind?: 'number' | 'wide' | 'brief';
  /** Whether the title is for screen readers only. */
  readonly isUntitled?: boolean;
  readonly cell: (entry: Entry) => ReactNode;
}

interface ListTableProps<Entry> {
  readonly label: string;
  /** The first column names the rows. */
  readonly columns: readonly ListColumn<Entry>[];
  readonly entries: readonly Entry[];
  readonly keyOf: (entry: Entry) => string | number;
}

/** A table that scrolls sideways if it is too wide, also by keyboard. */
export function ListTable<Entry>({ label, columns, entries, keyOf }: ListTableProps<Entry>) {
  return (
    <section className="table-scroll" tabIndex={0} aria-label={label}>
      <table className="list-table">
        <thead>
          <tr>
            {columns.map(({ title, kind, isUntitled = false }) => (
              <th key={title} scope="col" className={kind}>
                {isUntitled ? <span className="unseen">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={keyOf(entry)}>
              {columns.map(({ title, kind, cell }, index) =>
                index === 0 ? (
                  <th key={title} scope="row">
                    {cell(entry)}
                  </th>
                ) : (
                  <td key={title} className={kind}>
                    {cell(entry)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
