import { useMemo } from 'react';
import { printJson } from '../api/losslessJson.ts';
import type { RowsAnswer, RowsOfCall } from '../api/rowsProtocol.ts';
import { clockOf, utc } from '../chart/buckets.ts';
import { Chart } from '../chart/Chart.tsx';
import { chartOf } from '../chart/chartData.ts';
import type { ChartKind } from '../chart/plot.ts';
import { Cost, Notices, Partial } from '../explore/ResultBar.tsx';
import { CopyButton } from '../parts/CopyButton.tsx';
import { LongText } from '../parts/LongText.tsx';
import { goTo, parseRoute, useHash, withValues } from '../route/route.ts';
import { countText } from '../text/countText.ts';
import { localZone, type Zone } from '../time/instant.ts';
import { DownloadMenu } from './DownloadMenu.tsx';
import { ResultTable } from './ResultTable.tsx';

export type View = 'table' | 'json' | 'chart';

interface ResultPanelProps {
  readonly answer: RowsAnswer | RowsOfCall;
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

const kinds = [
  ['stacked', 'Stacked bars'],
  ['bar', 'Bars'],
  ['line', 'Lines'],
] as const satisfies readonly (readonly [ChartKind, string])[];

/** The rows of a query as a table, JSON or a chart, with what it cost and whatever makes it less than asked for. */
export function ResultPanel({ answer, view, zone, isOld, name, onView }: ResultPanelProps) {
  const route = parseRoute(useHash());
  const chosen = kinds.find(([each]) => each === route.search.get('chart'))?.[0];
  const { rows, meta } = answer;
  const chart = useMemo(
    () => (view === 'chart' ? chartOf(answer, zone === 'UTC' ? utc : clockOf(localZone())) : null),
    [view, answer, zone],
  );
  // Bars on each other show a sum, which means something for counts only.
  const kind: ChartKind = chosen ?? (chart?.series.every(({ isCount }) => isCount) === true ? 'stacked' : 'line');
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
            onChange={(event) => goTo(withValues(route, { chart: event.target.value }), 'replace')}
          >
            {kinds.map(([each, title]) => (
              <option key={each} value={each}>
                {title}
              </option>
            ))}
          </select>
        )}
        <span className="spacer" />
        <CopyButton text={() => printJson(rows)}>Copy JSON</CopyButton>
        <DownloadMenu answer={answer} name={name} />
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
        <span role="status">{countText(meta.row_count, 'row')}</span>
        <Partial meta={meta} />
        <Notices meta={meta} />
        <span className="spacer" />
        <Cost meta={meta} elapsedMs={answer.elapsedMs} />
      </div>
    </section>
  );
}
