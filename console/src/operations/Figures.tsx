import { ErrorBox } from '../parts/ErrorBox.tsx';
import { TrendLine } from '../parts/TrendLine.tsx';
import { bytesText } from '../text/bytesText.ts';
import { meansOf, type Reading, ratesOf, useMetrics } from './useReadings.ts';

interface Figure {
  readonly title: string;
  readonly values: readonly (number | null)[];
  readonly textOf: (value: number) => string;
}

const whole = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 0 });
const rate = (value: number): string =>
  `${value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0, notation: value < 10_000 ? 'standard' : 'compact' })} /s`;
const bytes = (value: number): string => (Number.isFinite(value) ? bytesText(value) : 'unknown');

function figuresOf(readings: readonly Reading[]): readonly Figure[] {
  const events = ({ events: by }: Reading): number => Object.values(by).reduce((sum, each) => sum + each, 0);
  return [
    { title: 'Requests', values: ratesOf(readings, ({ requests }) => requests), textOf: rate },
    { title: 'Errors', values: ratesOf(readings, ({ errors }) => errors), textOf: rate },
    { title: 'Queries', values: ratesOf(readings, ({ queries }) => queries), textOf: rate },
    {
      title: 'Mean query',
      values: meansOf(
        readings,
        ({ querySeconds }) => querySeconds * 1000,
        ({ queries }) => queries,
      ),
      textOf: (value) => `${value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 })} ms`,
    },
    { title: 'Queries running', values: readings.map(({ running }) => running), textOf: whole },
    { title: 'Queries waiting', values: readings.map(({ waiting }) => waiting), textOf: whole },
    {
      title: 'From the cache',
      values: meansOf(
        readings,
        ({ cacheHits }) => cacheHits,
        ({ cacheAnswers }) => cacheAnswers,
      ),
      textOf: (value) => `${Math.round(value * 100)} %`,
    },
    { title: 'Events stored', values: ratesOf(readings, events), textOf: rate },
    { title: 'Memory', values: readings.map(({ memoryBytes }) => memoryBytes), textOf: bytes },
    { title: 'Disk free', values: readings.map(({ diskFreeBytes }) => diskFreeBytes), textOf: bytes },
  ];
}

/** What the service does now, with the last five minutes that the page was open. */
export function Figures() {
  const { data, error } = useMetrics();
  if (error !== null) return <ErrorBox error={error} />;
  if (data === undefined) return <p role="status">Loading the figures</p>;
  return (
    <ul className="cards" aria-label="Figures">
      {figuresOf(data.readings).map(({ title, values, textOf }) => {
        const last = values.findLast((value) => value !== null);
        return (
          <li key={title} className="card">
            <span className="muted small">{title}</span>
            <strong>{last === undefined || last === null ? '–' : textOf(last)}</strong>
            <TrendLine values={values} label={title} textOf={textOf} />
          </li>
        );
      })}
    </ul>
  );
}
