import { useInfiniteQuery } from '@tanstack/react-query';
import { bodyOf } from '../api/callApi.ts';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { ListTable } from '../parts/ListTable.tsx';
import { utcSecond } from '../time/utcText.ts';
import { byTime, outcomeOf } from './auditEntries.ts';

/** Who did what, newest first. Refused calls are counted by minute, so they have the time of their minute. */
export function AuditTrail() {
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['audit'],
    initialPageParam: '',
    queryFn: async ({ pageParam, signal }) =>
      await bodyOf<'audit.list'>('/api/audit', {
        query: { limit: '50', ...(pageParam === '' ? {} : { cursor: pageParam }) },
        signal,
      }),
    getNextPageParam: ({ next }) => next,
  });
  const entries = byTime(data?.pages.flatMap(({ result }) => result) ?? []);
  return (
    <section aria-label="Audit trail">
      <h2>Audit trail</h2>
      {error !== null && <ErrorBox error={error} />}
      {data === undefined && error === null && <p role="status">Loading the changes</p>}
      {data !== undefined && entries.length === 0 && <p className="muted">Nothing was changed yet.</p>}
      {entries.length > 0 && (
        <ListTable
          label="Changes"
          entries={entries}
          keyOf={({ sequence }) => sequence}
          columns={[
            { title: 'Time (UTC)', kind: 'brief', cell: ({ at }) => utcSecond(at) },
            { title: 'Who', cell: ({ actor }) => actor ?? '–' },
            { title: 'What', cell: ({ action }) => action },
            { title: 'On', kind: 'wide', cell: ({ target }) => target ?? '' },
            { title: 'Outcome', cell: outcomeOf },
          ]}
        />
      )}
      {hasNextPage && (
        <button type="button" onClick={() => void fetchNextPage()}>
          More
        </button>
      )}
    </section>
  );
}
