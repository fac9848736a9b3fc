import { lazy, Suspense } from 'react';
import type { RowsAnswer } from '../api/rowsProtocol.ts';
import { canBeCharted } from '../chart/chartData.ts';
import type { View } from '../query/ResultPanel.tsx';
import type { Zone } from '../time/instant.ts';

/** Searches for log rows do not need it, so they do not load it. */
const ResultPanel = lazy(async () => ({ default: (await import('../query/ResultPanel.tsx')).ResultPanel }));

interface OtherRowsProps {
  readonly answer: RowsAnswer;
  readonly isOld: boolean;
  readonly zone: Zone;
  readonly name: string;
  /** Null: a chart if the rows can be drawn, or else a table. */
  readonly view: View | null;
  readonly onView: (view: View) => void;
}

/** Rows that are no log rows: of charts, and of tables without id, time and message. */
export function OtherRows({ view, ...others }: OtherRowsProps) {
  return (
    <Suspense fallback={<p role="status">Loading</p>}>
      <ResultPanel {...others} view={view ?? (canBeCharted(others.answer.meta) ? 'chart' : 'table')} />
    </Suspense>
  );
}
