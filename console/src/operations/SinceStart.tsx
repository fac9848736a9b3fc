import { FactList } from '../parts/FactList.tsx';
import { bytesText } from '../text/bytesText.ts';
import { utcMinute } from '../time/utcText.ts';
import { type Sample, sumOf, sumsBy } from './metricsText.ts';
import { useMetrics } from './useReadings.ts';

const rowsMax = 8;

/** Files, cache and errors since the service started. */
export function SinceStart() {
  const { data } = useMetrics();
  if (data === undefined) return null;
  const { samples } = data;
  const started = sumOf(samples, 'process_start_time_seconds');
  const count = (name: string, labels?: Readonly<Record<string, string>>): string =>
    (sumOf(samples, name, labels) ?? 0).toLocaleString('en', { maximumFractionDigits: 0 });
  const changed = (change: string): string => count('logmill_event_file_changes_total', { change });
  return (
    <section aria-label="Since the start">
      <h2>
        Since the start
        {started !== undefined && (
          <span className="muted small"> {utcMinute(new Date(started * 1000).toISOString())} UTC</span>
        )}
      </h2>
      <div className="columns">
        <Values
          title="Files of events"
          values={[
            ['Sealed, now', count('logmill_event_files', { kind: 'sealed' })],
            ['Being written, now', count('logmill_event_files', { kind: 'active' })],
            ['Sealed', changed('sealed')],
            ['Merged', changed('merged')],
            ['Dropped', changed('dropped')],
            ['Damaged', changed('damaged')],
            ['Missing', changed('missing')],
          ]}
        />
        <Values
          title="Cache and warming"
          values={[
            ['Results in memory, now', count('logmill_cache_entries')],
            ['Bytes of results, now', bytesText(sumOf(samples, 'logmill_cache_bytes') ?? 0)],
            ['Refreshed ahead', count('logmill_cache_refreshes_total', { outcome: 'refreshed' })],
            ['Refreshes failed', count('logmill_cache_refreshes_total', { outcome: 'failed' })],
            ['Evicted', count('logmill_cache_evicted_total')],
            ['Engine time saved', `${count('logmill_cache_saved_seconds_total')} s`],
          ]}
        />
        <Values
          title="Memory by process"
          values={sumsBy(samples, 'logmill_memory_bytes', 'process').map(([process, bytes]) => [
            process,
            bytesText(bytes),
          ])}
        />
        <Values
          title="Errors by code"
          values={sumsBy(samples, 'logmill_http_errors_total', 'code')
            .slice(0, rowsMax)
            .map(([code, errors]) => [code, errors.toLocaleString('en')])}
          isCode
          without="No call failed."
        />
      </div>
    </section>
  );
}

interface ValuesProps {
  readonly title: string;
  readonly values: readonly (readonly [string, string])[];
  readonly isCode?: boolean;
  readonly without?: string;
}

function Values({ title, values, isCode = false, without }: ValuesProps) {
  return (
    <section className="box" aria-label={title}>
      <h3>{title}</h3>
      {values.length === 0 && <p className="muted">{without}</p>}
      <FactList facts={values} isCode={isCode} />
    </section>
  );
}

/** What an operator should look at, from the metrics. Nothing if there is nothing. */
export function Attention() {
  const { data } = useMetrics();
  if (data === undefined) return null;
  const found = findingsOf(data.samples);
  return (
    <section aria-label="Attention">
      {found.length === 0 ? (
        <p className="muted">The figures of the service show nothing that needs attention.</p>
      ) : (
        <ul className="box warning-box findings">
          {found.map((finding) => (
            <li key={finding}>{finding}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

function findingsOf(samples: readonly Sample[]): readonly string[] {
  const value = (name: string, labels?: Readonly<Record<string, string>>): number => sumOf(samples, name, labels) ?? 0;
  const files = (change: string): number => value('logmill_event_file_changes_total', { change });
  const counted = (count: number, one: string, more: (count: string) => string): readonly string[] =>
    count === 0 ? [] : [count === 1 ? one : more(count.toLocaleString('en'))];
  return [
    ...(value('logmill_disk_low') > 0 ? ['The disk is almost full, so events are refused.'] : []),
    ...(value('logmill_store_away') > 0 ? ['The PostgreSQL store does not answer.'] : []),
    ...counted(
      files('damaged'),
      'One file of events was damaged and is not read.',
      (count) => `${count} files of events were damaged and are not read.`,
    ),
    ...counted(files('missing'), 'One file of events is missing.', (count) => `${count} files of events are missing.`),
    ...counted(
      value('logmill_engine_exits_total'),
      'The engine ended unexpectedly once since the start.',
      (count) => `The engine ended unexpectedly ${count} times since the start.`,
    ),
    ...counted(
      value('logmill_warnings_total'),
      'The log has one warning since the start.',
      (count) => `The log has ${count} warnings since the start.`,
    ),
  ];
}
