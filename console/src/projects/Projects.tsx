import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { callApi } from '../api/callApi.ts';
import type { Answers } from '../api/types.ts';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { type ListColumn, ListTable } from '../parts/ListTable.tsx';
import { TypedConfirmation } from '../parts/TypedConfirmation.tsx';
import { hrefOf, parseRoute, useHash } from '../route/route.ts';
import { utcMinute } from '../time/utcText.ts';
import { type ProjectEvents, useProjectEvents } from './useProjects.ts';

/** The projects with events, and what is kept of one of them. */
export default function Projects() {
  const { parts } = parseRoute(useHash());
  const { data, error, isLoading } = useProjectEvents();
  const chosen = parts[1];
  if (chosen !== undefined)
    return <ProjectPage project={chosen} events={data?.find(({ project }) => project === chosen)} />;
  return (
    <div className="page">
      <header>
        <h1>Projects</h1>
      </header>
      {error !== null && <ErrorBox error={error} />}
      {isLoading && <p role="status">Counting the events of every project</p>}
      {data !== undefined && data.length > 0 && (
        <ListTable
          label="Projects"
          entries={data}
          keyOf={({ project }) => project}
          columns={[
            {
              title: 'Project',
              cell: ({ project }) => (
                <a href={hrefOf(['projects', project])}>
                  <bdi>{project}</bdi>
                </a>
              ),
            },
            ...eventColumns,
            {
              title: 'Search',
              kind: 'wide',
              isUntitled: true,
              cell: ({ project }) => <a href={hrefOf(['explore'], { p: project })}>Explore</a>,
            },
          ]}
        />
      )}
      {data?.length === 0 && (
        <p className="empty">
          No project has events yet. A project exists as soon as an event names it:{' '}
          <a href="#/explore">send the first one</a>.
        </p>
      )}
    </div>
  );
}

/** Columns of a project, and of one of its sources. */
const eventColumns: readonly ListColumn<Pick<ProjectEvents, 'events' | 'first' | 'last'>>[] = [
  { title: 'Events', kind: 'number', cell: ({ events }) => events.toLocaleString('en') },
  { title: 'First event (UTC)', kind: 'wide', cell: ({ first }) => utcMinute(first) },
  { title: 'Last event (UTC)', cell: ({ last }) => utcMinute(last) },
];

interface ProjectPageProps {
  readonly project: string;
  readonly events: ProjectEvents | undefined;
}

function ProjectPage({ project, events }: ProjectPageProps) {
  const client = useQueryClient();
  const path = `/api/projects/${encodeURIComponent(project)}`;
  const [isDeleting, setDeleting] = useState(false);
  const retention = useQuery({
    queryKey: ['retention', project],
    queryFn: async ({ signal }) =>
      (await callApi(`${path}/retention`, { signal })).body as unknown as Answers['projects.retention'],
  });
  const deletions = useQuery<Answers['projects.deletions']>({
    queryKey: ['deletions', project],
    refetchInterval: ({ state }) => (state.data?.deletions.some((each) => each.state !== 'complete') ? 2000 : false),
    queryFn: async ({ signal }) =>
      (await callApi(`${path}/deletions`, { signal })).body as unknown as Answers['projects.deletions'],
  });
  return (
    <div className="page">
      <header>
        <p className="small">
          <a href="#/projects">Projects</a>
        </p>
        <div className="bar">
          <h1>
            <bdi>{project}</bdi>
          </h1>
          <span className="spacer" />
          <a href={hrefOf(['explore'], { p: project })}>Explore</a>
          <button type="button" className="danger" onClick={() => setDeleting(true)}>
            Delete its events
          </button>
        </div>
      </header>
      {events !== undefined && (
        <ListTable
          label="Events by source"
          entries={events.sources.filter((each) => each.events > 0)}
          keyOf={({ source }) => source}
          columns={[
            { title: 'Source', cell: ({ source }) => source },
            ...eventColumns,
            { title: 'Kept for', cell: ({ source }) => daysText(retention.data?.effective[source]?.days) },
          ]}
        />
      )}
      {retention.error !== null && <ErrorBox error={retention.error} />}
      {retention.data !== undefined && (
        <RetentionForm path={path} days={retention.data.days} onSaved={() => void retention.refetch()} />
      )}
      {(deletions.data?.deletions.length ?? 0) > 0 && (
        <section aria-label="Deletions">
          <h2>Deletions</h2>
          <ListTable
            label="Deletions of events"
            entries={deletions.data?.deletions ?? []}
            keyOf={({ id }) => id}
            columns={[
              { title: 'Requested (UTC)', cell: ({ requested_at: at }) => utcMinute(at) },
              { title: 'Source', cell: ({ source }) => source ?? 'all' },
              { title: 'Before', cell: ({ before }) => before ?? 'now' },
              { title: 'State', cell: ({ state }) => state },
            ]}
          />
        </section>
      )}
      {isDeleting && (
        <TypedConfirmation
          title="Delete the events of this project"
          name={project}
          action="Delete its events"
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await callApi(`${path}/events`, { method: 'DELETE' });
            await client.invalidateQueries();
          }}
        >
          <p>
            {events === undefined ? 'All its events' : `All ${events.events.toLocaleString('en')} events`} disappear
            from answers at once and are removed from disk soon after. Nothing brings them back.
          </p>
        </TypedConfirmation>
      )}
    </div>
  );
}

const daysText = (days: number | undefined): string =>
  days === undefined ? '–' : days === 0 ? 'ever' : days === 1 ? '1 day' : `${days} days`;

interface RetentionFormProps {
  readonly path: string;
  readonly days: number | null;
  readonly onSaved: () => void;
}

/** How long the events of the project are kept; empty is the rule of each source. */
function RetentionForm({ path, days, onSaved }: RetentionFormProps) {
  const [typed, setTyped] = useState(days === null ? '' : String(days));
  const [message, setMessage] = useState('');
  const save = async () => {
    try {
      await callApi(`${path}/retention`, { method: 'PUT', body: { days: typed === '' ? null : Number(typed) } });
      setMessage('Saved');
      onSaved();
    } catch (error) {
      setMessage(error instanceof Error ? error.message : 'It was not saved.');
    }
  };
  return (
    <form
      className="bar"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <label htmlFor="days">Keep its events for</label>
      <input
        id="days"
        type="text"
        inputMode="numeric"
        pattern="[0-9]*"
        size={5}
        value={typed}
        placeholder="–"
        onChange={(event) => setTyped(event.target.value)}
      />
      <span>days. Empty: as each source says; 0: for ever. Older events disappear at once.</span>
      <button type="submit">Save</button>
      <span role="status">{message}</span>
    </form>
  );
}
