import { useQuery } from '@tanstack/react-query';
import { textOf } from '../api/losslessJson.ts';
import { filtersOf, timesOf, withTimes } from '../lql/clauses.ts';
import { CopyButton } from '../parts/CopyButton.tsx';
import { sendingLine } from '../parts/curl.ts';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { useRowsCalls } from '../shell/calls.ts';
import { useSignedIn } from '../shell/session.ts';
import { agoText, type Micros, parseInstant, printInstant } from '../time/instant.ts';
import type { SearchTarget } from './searchTarget.ts';
import { rangeOfRun } from './useSearch.ts';

interface EmptySearchProps {
  readonly target: SearchTarget;
  readonly lql: string;
  readonly asOf: string | undefined;
  readonly onSearch: (lql: string) => void;
}

/** Time of the newest match, and of the newest row of all. Null if there is none. */
interface Newest {
  readonly newest: Micros | null;
  readonly newestOfAll: Micros | null;
}

/** Nothing was found: says when it last was, and widens the time to it; without any event, how to send one. */
export function EmptySearch({ target, lql, asOf, onSearch }: EmptySearchProps) {
  const calls = useRowsCalls();
  const now = parseInstant(asOf ?? '') ?? 0;
  const { data, error } = useQuery<Newest>({
    queryKey: ['newest', target.endpoint.id, target.parameters, filtersOf(lql), asOf],
    // A page without events notices the first one.
    refetchInterval: ({ state }) => (state.data?.newest === null && state.data.newestOfAll === null ? 3000 : false),
    queryFn: async ({ signal }): Promise<Newest> => {
      const newestOf = async (text: string): Promise<Micros | null> => {
        const body = { ...target.parameters, lql: `${text} s:timestamp@t` };
        const { rows } = await calls.call({ path: target.endpoint.path, body, signal });
        return parseInstant(textOf(rows[0]?.t)) ?? null;
      };
      const newest = await newestOf(withTimes(filtersOf(lql), []));
      return { newest, newestOfAll: newest ?? (await newestOf(`f:${target.table}`)) };
    },
  });
  if (error !== null) return <ErrorBox error={error} />;
  if (data === undefined) return <p role="status">Nothing in this time. Looking for the newest match.</p>;
  const { newest, newestOfAll } = data;
  if (newest !== null) {
    const range = rangeOfRun(lql, now);
    const isLater = range !== null && newest > range.to;
    return (
      <div className="empty" role="status">
        <p>
          No rows in this time. The newest match is {isLater ? `at ${printInstant(newest)}` : agoText(newest, now)}.
        </p>
        <button
          type="button"
          className="primary"
          onClick={() => onSearch(withTimes(lql, widened(newest, timesOf(lql), now)))}
        >
          Widen the time to it
        </button>
      </div>
    );
  }
  if (newestOfAll !== null) {
    return (
      <div className="empty" role="status">
        <p>No row of {target.table} matches these filters at any time.</p>
        <button type="button" onClick={() => onSearch(`f:${target.table} ${timesOf(lql).join(' ')}`)}>
          Remove the filters
        </button>
      </div>
    );
  }
  return <FirstEvent target={target} />;
}

/** One hour around the newest match. */
function widened(newest: Micros, times: readonly string[], now: Micros): readonly string[] {
  const range = rangeOfRun(times.join(' '), now);
  const span = range === null ? 3600e6 : Math.max(60e6, range.to - range.from);
  return [
    `t:>=${printInstant(Math.floor((newest - span / 2) / 1e6) * 1e6)}`,
    `t:<=${printInstant(Math.ceil((newest + span / 2) / 1e6) * 1e6)}`,
  ];
}

function FirstEvent({ target }: { readonly target: SearchTarget }) {
  const { session } = useSignedIn();
  const mayIngest = session.scopes.some((scope) => scope === 'ingest' || scope.startsWith('ingest:source:'));
  const project = target.parameters.project ?? 'my-project';
  const line = sendingLine(target.table, { project, event_message: 'hello', metadata: { level: 'info' } });
  return (
    <div className="empty" role="status">
      <p>
        {target.table} has no events of <bdi>{project}</bdi> yet. Send the first one; it appears here by itself.
      </p>
      <pre>{line}</pre>
      <CopyButton text={line}>Copy the line</CopyButton>
      {!mayIngest && <p className="muted">Your token may not send events; use one with the scope ingest.</p>}
    </div>
  );
}

interface NoProjectProps {
  /** Why the names of projects are not known. */
  readonly error: Error | null;
}

export function NoProject({ error }: NoProjectProps) {
  return (
    <div className="empty">
      {error !== null && <ErrorBox error={error} />}
      <p>Every event belongs to a project. Name the one to search, above.</p>
    </div>
  );
}
