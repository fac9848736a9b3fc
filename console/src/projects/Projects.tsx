import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { bodyOf, callApi } from '../api/callApi.ts';
import type { Answers } from '../api/types.ts';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { type ListColumn, ListTable } from '../parts/ListTable.tsx';
import { PageFrame } from '../parts/PageFrame.tsx';
import { daysText, RetentionForm } from '../parts/RetentionForm.tsx';
import { SendingLine } from '../parts/SendingLine.tsx';
import { TypedConfirmation } from '../parts/TypedConfirmation.tsx';
import { hrefOf, parseRoute, useHash } from '../route/route.ts';
import { bytesText } from '../text/bytesText.ts';
import { SafeText } from '../text/SafeText.tsx';
import { utcMinute } from '../time/utcText.ts';
import { type ProjectEvents, useProjectBytes, useProjectEvents } from './useProjects.ts';

/** The projects with events, and what is kept of one of them. */
export default function Projects() {
  const { parts } = parseRoute(useHash());
  const { data, error, isLoading, isFetching, refetch } = useProjectEvents();
  const bytes = useProjectBytes();
  const chosen = parts[1];
  if (chosen !== undefined)
    return <ProjectPage project={chosen} events={data?.find(({ project }) => project === chosen)} />;
  return (
    <PageFrame
      title="Projects"
      actions={
        <>
          {data !== undefined && data.length > 0 && (
            <button
              type="button"
              title="The bytes of messages and metadata, before compression. It reads every event."
              disabled={bytes.isFetching}
              onClick={() => void bytes.refetch()}
            >
              {bytes.isFetching ? 'Measuring' : 'Measure bytes'}
            </button>
          )}
          <button type="button" disabled={isFetching} onClick={() => void refetch()}>
            {isFetching ? 'Counting' : 'Count again'}
          </button>
        </>
      }
    >
      {error !== null && <ErrorBox error={error} />}
      {bytes.error !== null && <ErrorBox error={bytes.error} />}
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
                  <SafeText text={project} />
                </a>
              ),
            },
            ...eventColumns,
            ...(bytes.data === undefined ? [] : [bytesColumn(bytes.data)]),
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
        <div className="empty">
          <p>No project has events yet. A project exists as soon as an event names it. Send the first one:</p>
          <SendingLine source="edge_logs" />
          <p className="muted small">The page notices it when it arrives.</p>
        </div>
      )}
    </PageFrame>
  );
}

/** Columns of a project, and of one of its sources. */
const eventColumns: readonly ListColumn<Pick<ProjectEvents, 'events' | 'first' | 'last'>>[] = [
  { title: 'Events', kind: 'number', cell: ({ events }) => events.toLocaleString('en') },
  { title: 'First event (UTC)', kind: 'wide', cell: ({ first }) => utcMinute(first) },
  { title: 'Last event (UTC)', kind: 'brief', cell: ({ last }) => utcMinute(last) },
];

const bytesColumn = (bytes: ReadonlyMap<string, number>): ListColumn<ProjectEvents> => ({
  title: 'Bytes',
  kind: 'number',
  cell: ({ project }) => bytesText(bytes.get(project) ?? 0),
});

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
    queryFn: async ({ signal }) => await bodyOf<'projects.retention'>(`${path}/retention`, { signal }),
  });
  const deletions = useQuery<Answers['projects.deletions']>({
    queryKey: ['deletions', project],
    refetchInterval: ({ state }) => (state.data?.deletions.some((each) => each.state !== 'complete') ? 2000 : false),
    queryFn: async ({ signal }) => await bodyOf<'projects.deletions'>(`${path}/deletions`, { signal }),
  });
  return (
    <PageFrame
      title={<SafeText text={project} />}
      parent="projects"
      actions={
        <>
          <a href={hrefOf(['explore'], { p: project })}>Explore</a>
          <button type="button" className="danger" onClick={() => setDeleting(true)}>
            Delete its events
          </button>
        </>
      }
    >
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
      {retention.isLoading && <p role="status">Loading the retention</p>}
      {retention.error !== null && <ErrorBox error={retention.error} />}
      {retention.data !== undefined && (
        <RetentionForm
          name={project}
          path={`${path}/retention`}
          days={retention.data.days}
          otherwise="as each source says"
          onSaved={() => void retention.refetch()}
        />
      )}
      {(deletions.data?.deletions.length ?? 0) > 0 && (
        <section aria-label="Deletions">
          <h2>Deletions</h2>
          <ListTable
            label="Deletions of events"
            entries={deletions.data?.deletions ?? []}
            keyOf={({ id }) => id}
            columns={[
              { title: 'Requested (UTC)', kind: 'brief', cell: ({ requested_at: at }) => utcMinute(at) },
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
    </PageFrame>
  );
}
