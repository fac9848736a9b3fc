import type { Source } from '../api/types.ts';
import { sumOf, sumsBy } from '../operations/metricsText.ts';
import { type Metrics, ratesOf, useMetrics } from '../operations/useReadings.ts';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { FactList } from '../parts/FactList.tsx';
import { type ListColumn, ListTable } from '../parts/ListTable.tsx';
import { PageFrame } from '../parts/PageFrame.tsx';
import { SendingLine } from '../parts/SendingLine.tsx';
import { TrendLine } from '../parts/TrendLine.tsx';
import { type ProjectEvents, useProjectEvents } from '../projects/useProjects.ts';
import { hrefOf, parseRoute, useHash } from '../route/route.ts';
import { SafeText } from '../text/SafeText.tsx';
import { agoText, nowMicros, parseInstant } from '../time/instant.ts';
import { SourcePage } from './SourcePage.tsx';
import { useSources } from './useSources.ts';

/** The sources that the token may send to, or all of them; with their events for tokens that may count them. */
export default function Sources() {
  const { parts } = parseRoute(useHash());
  const { data, error } = useSources();
  const { data: projects, isLoading: isCounting, error: notCounted } = useProjectEvents();
  const { data: metrics } = useMetrics();
  const chosen = data?.sources.find(({ name }) => name === parts[1]);
  if (chosen !== undefined)
    return (
      <SourcePage key={chosen.name} source={chosen} projects={projects} isCounting={isCounting} metrics={metrics} />
    );
  const [first] = data?.sources ?? [];
  return (
    <PageFrame title="Sources" about="Log streams that events are sent to and queries read.">
      {error !== null && <ErrorBox error={error} />}
      {error === null && notCounted !== null && <ErrorBox error={notCounted} />}
      {data !== undefined && parts[1] !== undefined && (
        <p className="warning-text">
          There is no source <SafeText text={parts[1]} />, or the token may not see it.
        </p>
      )}
      {data === undefined && error === null && <p role="status">Loading the sources</p>}
      {data !== undefined && (
        <ListTable
          label="Sources"
          entries={data.sources}
          keyOf={({ name }) => name}
          columns={[
            {
              title: 'Source',
              cell: ({ name, description }) => (
                <>
                  <a href={hrefOf(['sources', name])}>{name}</a>
                  {description !== '' && (
                    <div className="muted small">
                      <SafeText text={description} />
                    </div>
                  )}
                </>
              ),
            },
            ...(metrics === undefined ? [] : rateColumns(metrics)),
            ...(projects === undefined ? [] : countColumns(countsOf(projects))),
            {
              title: 'From',
              kind: 'wide',
              cell: ({ table, origin }) => (table === undefined ? origin : `table ${table.name}, read only`),
            },
          ]}
        />
      )}
      {isCounting && (
        <p role="status" className="muted">
          Loading the counts
        </p>
      )}
      {metrics !== undefined && <RefusedBatches metrics={metrics} />}
      {first !== undefined && (
        <section aria-label="Send events">
          <h2>Send an event</h2>
          <SendingLine source={first.name} />
        </section>
      )}
    </PageFrame>
  );
}

interface Counted {
  readonly events: number;
  readonly last: string;
}

/** Events of each source, over all projects. */
function countsOf(projects: readonly ProjectEvents[]): ReadonlyMap<string, Counted> {
  const counted = new Map<string, Counted>();
  for (const { source, events, last } of projects.flatMap(({ sources }) => sources)) {
    const before = counted.get(source) ?? { events: 0, last: '' };
    counted.set(source, { events: before.events + events, last: last > before.last ? last : before.last });
  }
  return counted;
}

function countColumns(counted: ReadonlyMap<string, Counted>): readonly ListColumn<Source>[] {
  const now = nowMicros();
  return [
    { title: 'Events', kind: 'number', cell: ({ name }) => (counted.get(name)?.events ?? 0).toLocaleString('en') },
    {
      title: 'Last event',
      cell: ({ name }) => {
        const last = counted.get(name)?.last ?? '';
        return last === '' ? 'none' : agoText(parseInstant(last) ?? 0, now);
      },
    },
  ];
}

const perSecond = (rate: number): string =>
  `${rate.toLocaleString('en', { maximumFractionDigits: rate < 10 ? 1 : 0 })} /s`;

function rateColumns({ samples, readings }: Metrics): readonly ListColumn<Source>[] {
  return [
    {
      title: 'Arriving',
      cell: ({ name }) => {
        const rates = ratesOf(readings, ({ events }) => events[name] ?? 0);
        return (
          <span className="rate">
            <TrendLine values={rates} label={`Events of ${name} per second`} textOf={perSecond} />
            {perSecond(rates.at(-1) ?? 0)}
          </span>
        );
      },
    },
    {
      title: 'Rejected',
      kind: 'number',
      cell: ({ name }) =>
        (sumOf(samples, 'logmill_ingest_events_total', { source: name, outcome: 'rejected' }) ?? 0).toLocaleString(
          'en',
        ),
    },
  ];
}

/** Whole batches that were refused, by reason. The service counts them over all sources. */
function RefusedBatches({ metrics }: { readonly metrics: Metrics }) {
  const refused = sumsBy(metrics.samples, 'logmill_http_errors_total', 'code').filter(([code]) =>
    /^(ingest|event|source)\./.test(code),
  );
  return (
    <section aria-label="Refused batches">
      <h2>Refused batches since the start</h2>
      {refused.length === 0 ? (
        <p className="muted">
          None. Events that are rejected one by one are counted above, and shown on the page of their source.
        </p>
      ) : (
        <FactList facts={refused.map(([code, count]) => [code, count.toLocaleString('en')])} isCode isNarrow />
      )}
    </section>
  );
}
