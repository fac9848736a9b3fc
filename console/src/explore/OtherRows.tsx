import type { RowsAnswer } from '../api/rowsProtocol.ts';
import { ResultTable } from '../query/ResultTable.tsx';

interface OtherRowsProps {
  readonly answer: RowsAnswer;
  readonly isOld: boolean;
}

/** Rows that are no log rows: of charts, and of tables without id, time and message. */
export function OtherRows({ answer, isOld }: OtherRowsProps) {
  return (
    <div className={isOld ? 'old' : ''}>
      <ResultTable answer={answer} />
    </div>
  );
}
