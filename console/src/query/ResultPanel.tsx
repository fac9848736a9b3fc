import { useState } from 'react';
import { printJson } from '../api/losslessJson.ts';
import type { RowsAnswer } from '../api/rowsProtocol.ts';
import { Cost, Notices, Partial } from '../explore/ResultBar.tsx';
import { CopyButton } from '../parts/CopyButton.tsx';
import { LongText } from '../parts/LongText.tsx';
import type { Zone } from '../time/instant.ts';
import { Chart, chartOf } from './Chart.tsx';
import { csvOf, saveAs } from './download.ts';
import { ResultTable } from './ResultTable.tsx';

export type View = 'table' | 'json' | 'chart';

interface ResultPanelProps {
  readonly answer: RowsAnswer;
  readonly view: View;
  readonly zone: Zone;
  readonly isOld: boolean;
  readonly name: string;
  readonly onView: (view: View) => void;
}

const views = [
  ['table', 'Table'],
  ['json', 'JSON'],
  ['chart', 'Chart'],
] as const;

/** The rows of a query as a table, JSON or a chart, with what it cost and whatever makes it less than asked for. */
export function ResultPanel({ answer, view, zone, isOld, name, onView }: ResultPanelProps) {
  const [kind, setKind] = useState<'line' | 'bar'>('bar');
  const { rows, meta } = answer;
  const chart = view === 'chart' ? chartOf(answer) : null;
  return (
    <section className={isOld ? 'result old' : 'result'} aria-label="Result">
      <div className="bar result-head">
        <div className="tabs" role="group" aria-label="View">
          {views.map(([each, title]) => (
            <button key={each} type="button" aria-pressed={each === view} onClick={() => onView(each)}>
              {title}
            </button>
          ))}
        </div>
        {view === 'chart' && (
          <select
            aria-label="Kind of chart"
            value={kind}
            onChange={(event) => setKind(event.target.value === 'bar' ? 'bar' : 'line')}
          >
            <option value="bar">Stacked bars</option>
            <option value="line">Lines</option>
          </select>
        )}
        <span className="spacer" />
        <CopyButton text={() => printJson(rows)}>Copy JSON</CopyButton>
        <CopyButton text={() => csvOf(answer)}>Copy CSV</CopyButton>
        <button
          type="button"
          className="quiet"
          onClick={() => saveAs(`${name}.json`, 'application/json', printJson(rows))}
        >
          Download JSON
        </button>
        <button type="button" className="quiet" onClick={() => saveAs(`${name}.csv`, 'text/csv', csvOf(answer))}>
          Download CSV
        </button>
      </div>
      {view === 'table' && <ResultTable answer={answer} />}
      {view === 'json' && (
        <pre className="json" role="region" tabIndex={0} aria-label="Rows as JSON">
          <LongText text={printJson(rows)} />
        </pre>
      )}
      {view === 'chart' &&
        (chart === null ? (
          <p className="empty">
            A chart needs a column of time and a column of numbers, for example{' '}
            <code>select timestamp_trunc(timestamp, hour) as hour, count(*) as rows … group by hour</code>.
          </p>
        ) : (
          <>
            <Chart data={chart} zone={zone} kind={kind} />
            <ResultTable answer={answer} />
          </>
        ))}
      <div className="result-bar">
        <span role="status">
          {meta.row_count.toLocaleString('en')} {meta.row_count === 1 ? 'row' : 'rows'}
        </span>
        <Partial meta={meta} />
        <Notices meta={meta} />
        <span className="spacer" />
        <Cost meta={meta} elapsedMs={answer.elapsedMs} />
      </div>
    </section>
  );
}
