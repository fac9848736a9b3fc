import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { bodyOf } from '../api/callApi.ts';
import { endpointOf } from '../api/describedEndpoints.ts';
import type { Source } from '../api/types.ts';
import { sumOf } from '../operations/metricsText.ts';
import type { Metrics } from '../operations/useReadings.ts';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { FactList } from '../parts/FactList.tsx';
import { ListTable } from '../parts/ListTable.tsx';
import { PageFrame } from '../parts/PageFrame.tsx';
import { daysText, RetentionForm } from '../parts/RetentionForm.tsx';
import { SendingLine } from '../parts/SendingLine.tsx';
import type { ProjectEvents } from '../projects/useProjects.ts';
import { hrefOf } from '../route/route.ts';
import { useSignedIn } from '../shell/session.ts';
import { SafeText } from '../text/SafeText.tsx';
import { utcMinute } from '../time/utcText.ts';
import { MembersRead, Rejections } from './SourceActivity.tsx';

interface SourcePageProps {
  readonly source: Source;
  /** Undefined if the token may not count events. */
  readonly projects: readonly ProjectEvents[] | undefined;
  readonly isCounting: boolean;
  readonly metrics: Metrics | undefined;
}

/** One source: its events by project, what they hold, and how long they are kept. */
export function SourcePage({ source, projects, isCounting, metrics }: SourcePageProps) {
  const { described } = useSignedIn();
  const { name, description, project_field: field, aliases, origin, table } = source;
  const counted = (projects ?? []).flatMap(({ project, sources }) =>
    sources.filter((each) => each.source === name && each.events > 0).map((each) => ({ ...each, project })),
  );
  const events = (outcome: string): string =>
    (sumOf(metrics?.samples ?? [], 'logmill_ingest_events_total', { source: name, outcome }) ?? 0).toLocaleString('en');
  const path = `/api/sources/${encodeURIComponent(name)}/retention`;
  const retention = useQuery({
    queryKey: ['source retention', name],
    enabled: described.operations.has('sources.retention'),
    queryFn: async ({ signal }) => await bodyOf<'sources.retention'>(path, { signal }),
  });
  const facts: readonly (readonly [string, string])[] = [
    ['Project is in', field],
    ...(aliases.length === 0 ? [] : ([['Other names', aliases.join(', ')]] as const)),
    ['From', table === undefined ? origin : `table ${table.name}, read only`],
    ...(table === undefined || table.members.length === 0 ? [] : ([['Columns', table.members.join(', ')]] as const)),
    ...(metrics === undefined
      ? []
      : ([
          ['Events stored since the start', events('accepted')],
          ['Events rejected since the start', events('rejected')],
        ] as const)),
    ...(retention.data === undefined ? [] : ([['Kept for', daysText(retention.data.effective.days)]] as const)),
  ];
  return (
    <PageFrame title={name} parent="sources" about={<SafeText text={description} />}>
      <FactList facts={facts.map(([title, text]) => [title, <SafeText key={title} text={text} />])} isNarrow />
      {retention.error !== null && <ErrorBox error={retention.error} />}
      {retention.data !== undefined && described.operations.has('sources.set_retention') && (
        <RetentionForm
          name={name}
          path={path}
          days={retention.data.days}
          otherwise="as the service says"
          onSaved={() => void retention.refetch()}
        />
      )}
      {isCounting && <p role="status">Loading the events by project</p>}
      {counted.length > 0 && (
        <section aria-label="Events by project">
          <h2>Events by project</h2>
          <ListTable
            label="Projects"
            entries={counted.slice(0, projectsMax)}
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
              { title: 'Events', kind: 'number', cell: (each) => each.events.toLocaleString('en') },
              { title: 'First event (UTC)', kind: 'wide', cell: ({ first }) => utcMinute(first) },
              { title: 'Last event (UTC)', kind: 'brief', cell: ({ last }) => utcMinute(last) },
            ]}
          />
          {counted.length > projectsMax && (
            <p className="muted">
              {(counted.length - projectsMax).toLocaleString('en')} more projects have fewer events.
            </p>
          )}
        </section>
      )}
      {described.operations.has('sources.rejections') && table === undefined && <Rejections source={name} />}
      {described.operations.has('sources.members_read') && <MembersRead source={name} />}
      {counted.length > 0 && <Members source={name} projects={counted.map(({ project }) => project)} />}
      {table === undefined && (
        <section aria-label="Send events">
          <h2>Send an event</h2>
          <SendingLine source={name} />
        </section>
      )}
    </PageFrame>
  );
}

const projectsMax = 100;
const membersMax = '200';

/** What the events hold, from a sample of those of one project. */
function Members({ source, projects }: { readonly source: string; readonly projects: readonly string[] }) {
  const { described } = useSignedIn();
  const [project, setProject] = useState(projects[0] ?? '');
  const endpoint = endpointOf(described.endpoints, 'logs.all');
  const isReadable =
    endpoint?.tables.includes(source) === true && endpoint.parameters.some(({ name }) => name === 'project');
  const { data, error, isLoading } = useQuery({
    queryKey: ['members', source, project],
    enabled: isReadable && project !== '',
    staleTime: 300_000,
    queryFn: async ({ signal }) => {
      const query = { project, prefix: source, limit: membersMax };
      return await bodyOf<'endpoints.fields'>(`/api/endpoints/${endpoint?.id ?? ''}/fields`, { query, signal });
    },
  });
  if (!isReadable) return null;
  return (
    <section aria-label="Members">
      <div className="bar">
        <h2>What events hold</h2>
        <select aria-label="Project" value={project} onChange={(event) => setProject(event.target.value)}>
          {projects.slice(0, projectsMax).map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </div>
      {error !== null && <ErrorBox error={error} />}
      {isLoading && <p role="status">Loading the members</p>}
      {data !== undefined && (
        <ListTable
          label="Columns and members"
          entries={data.result}
          keyOf={({ path }) => path}
          columns={[
            {
              title: 'Column or member',
              cell: ({ path }) => (
                <code>
                  <SafeText text={path.slice(source.length + 1)} />
                </code>
              ),
            },
            { title: 'Type', cell: ({ types }) => types.join(', ').toLowerCase() },
            { title: 'In events', kind: 'number', cell: ({ share }) => `${Math.round(share * 100)} %` },
            {
              title: 'Frequent values',
              kind: 'wide',
              cell: ({ values, personal }) => (
                <span className="clamped">
                  {personal ? (
                    <span className="chip redacted">personal</span>
                  ) : (
                    <SafeText
                      text={values
                        .slice(0, 4)
                        .map(({ value }) => String(value))
                        .join(' · ')}
                    />
                  )}
                </span>
              ),
            },
          ]}
        />
      )}
      {data?.next !== undefined && data.next !== null && (
        <p className="muted">Only the first {membersMax} are shown.</p>
      )}
    </section>
  );
}
