import { useQuery } from '@tanstack/react-query';
import { callApi } from '../api/callApi.ts';
import type { Answers, Source } from '../api/types.ts';
import { CopyButton } from '../parts/CopyButton.tsx';
import { sendingLine } from '../parts/curl.ts';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { type ListColumn, ListTable } from '../parts/ListTable.tsx';
import { type ProjectEvents, useProjectEvents } from '../projects/useProjects.ts';
import { agoText, nowMicros, parseInstant } from '../time/instant.ts';

/** The sources that the token may send to, or all of them; with their events for tokens that may count them. */
export default function Sources() {
  const { data, error } = useQuery({
    queryKey: ['sources'],
    queryFn: async ({ signal }) =>
      (await callApi('/api/sources', { signal })).body as unknown as Answers['sources.list'],
  });
  const { data: projects } = useProjectEvents();
  const first = data?.sources[0];
  const line = sendingLine(first?.name ?? '', { project: 'my-project', event_message: 'hello' });
  return (
    <div className="page">
      <header>
        <h1>Sources</h1>
        <p className="muted">Log streams that events are sent to and queries read.</p>
      </header>
      {error !== null && <ErrorBox error={error} />}
      <ListTable
        label="Sources"
        entries={data?.sources ?? []}
        keyOf={({ name }) => name}
        columns={[
          {
            title: 'Source',
            cell: ({ name, description }) => (
              <>
                {name}
                {description !== '' && <div className="muted small">{description}</div>}
              </>
            ),
          },
          ...(projects === undefined ? [] : countColumns(countsOf(projects))),
          { title: 'Project is in', cell: ({ project_field: field }) => <code>{field}</code> },
          { title: 'Other names', kind: 'wide', cell: ({ aliases }) => aliases.join(', ') },
          {
            title: 'From',
            kind: 'wide',
            cell: ({ table, origin }) => (table === undefined ? origin : `table ${table.name}, read only`),
          },
        ]}
      />
      {first !== undefined && (
        <section className="snippet" aria-label="Send an event">
          <div className="bar">
            <h2>Send an event</h2>
            <span className="spacer" />
            <CopyButton text={line} />
          </div>
          <pre tabIndex={0}>{line}</pre>
        </section>
      )}
    </div>
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
