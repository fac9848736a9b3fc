import { useQuery } from '@tanstack/react-query';
import { bodyOf } from '../api/callApi.ts';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { ListTable } from '../parts/ListTable.tsx';
import { SafeText } from '../text/SafeText.tsx';
import { utcSecond } from '../time/utcText.ts';

const rejectionsMs = 10_000;
const readsMax = 15;

/** Rejected events by reason, with a recent one of each. */
export function Rejections({ source }: { readonly source: string }) {
  const { data, error } = useQuery({
    queryKey: ['rejections', source],
    refetchInterval: rejectionsMs,
    queryFn: async ({ signal }) =>
      await bodyOf<'sources.rejections'>(`/api/sources/${encodeURIComponent(source)}/rejections`, { signal }),
  });
  return (
    <section aria-label="Rejected events">
      <h2>Rejected events since the start</h2>
      {error !== null && <ErrorBox error={error} />}
      {data === undefined && error === null && <p role="status">Loading the reasons</p>}
      {data?.rejections.length === 0 && <p className="muted">None.</p>}
      {data !== undefined && data.rejections.length > 0 && (
        <ListTable
          label="Reasons"
          entries={data.rejections}
          keyOf={({ code }) => code}
          columns={[
            {
              title: 'Reason',
              cell: ({ code, meaning }) => (
                <>
                  <code>{code}</code>
                  <div className="muted small">{meaning}</div>
                </>
              ),
            },
            { title: 'Events', kind: 'number', cell: ({ count }) => count.toLocaleString('en') },
            { title: 'Last (UTC)', kind: 'brief', cell: ({ last_at: at }) => utcSecond(at) },
            {
              title: 'A recent one',
              kind: 'wide',
              cell: ({ message, event }) => (
                <>
                  <SafeText text={message} />
                  {event !== null && (
                    <details>
                      <summary className="small">Event</summary>
                      <pre>
                        <SafeText text={event} />
                      </pre>
                    </details>
                  )}
                </>
              ),
            },
          ]}
        />
      )}
    </section>
  );
}

/** Members that queries read most: those without a typed column are parsed from the metadata each time. */
export function MembersRead({ source }: { readonly source: string }) {
  const { data, error } = useQuery({
    queryKey: ['members read', source],
    queryFn: async ({ signal }) =>
      await bodyOf<'sources.members_read'>(`/api/sources/${encodeURIComponent(source)}/members-read`, { signal }),
  });
  return (
    <section aria-label="What queries read">
      <h2>What queries read most since the start</h2>
      {error !== null && <ErrorBox error={error} />}
      {data === undefined && error === null && <p role="status">Loading the members</p>}
      {data?.members.length === 0 && <p className="muted">No query has read a member yet.</p>}
      {data !== undefined && data.members.length > 0 && (
        <ListTable
          label="Members by queries"
          entries={data.members.slice(0, readsMax)}
          keyOf={({ member }) => member}
          columns={[
            {
              title: 'Member',
              cell: ({ member }) => (
                <code>
                  <SafeText text={member} />
                </code>
              ),
            },
            { title: 'Queries', kind: 'number', cell: ({ queries }) => queries.toLocaleString('en') },
            {
              title: 'Stored as',
              cell: ({ typed }) => (typed ? 'typed column' : <span className="muted">metadata only</span>),
            },
          ]}
        />
      )}
    </section>
  );
}
