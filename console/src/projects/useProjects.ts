import { useQuery, useQueryClient } from '@tanstack/react-query';
import { bodyOf } from '../api/callApi.ts';
import { type DescribedEndpoint, type DescribedParameter, valuesOf } from '../api/describedEndpoints.ts';
import { isObject, type Json, textOf } from '../api/losslessJson.ts';
import { may } from '../api/session.ts';
import type { Source } from '../api/types.ts';
import { rememberedList } from '../shell/remembered.ts';
import { useSignedIn } from '../shell/session.ts';

/** Events of one project, over all sources. */
export interface ProjectEvents {
  readonly project: string;
  readonly events: number;
  readonly first: string;
  readonly last: string;
  readonly sources: readonly {
    readonly source: string;
    readonly events: number;
    readonly first: string;
    readonly last: string;
  }[];
}

const rowsMax = 10_000;

type NamedSource = Pick<Source, 'name' | 'project_field'>;

/** A stored query may read every source, so it finds the projects. It is run as a draft and stored nowhere. */
function projectsQuery(sources: readonly NamedSource[]): string {
  return sources
    .map(
      ({ name, project_field: field }) =>
        `select '${name}' as source, t.${field} as project, count(*) as events, min(t.timestamp) as first_event, max(t.timestamp) as last_event\nfrom sources.${name} as t group by project`,
    )
    .join('\nunion all\n');
}

/** Bytes of the message and the metadata as JSON, which the query has to read of every event. */
function bytesQuery(sources: readonly NamedSource[]): string {
  const each = sources.map(
    ({ name, project_field: field }) =>
      `select t.${field} as project, sum(ifnull(byte_length(t.event_message), 0) + ifnull(byte_length(to_json_string(t.metadata)), 0)) as bytes from sources.${name} as t group by project`,
  );
  return `select project, sum(bytes) as bytes from (\n${each.join('\nunion all\n')}\n) group by project order by bytes desc`;
}

/** The same for names alone, from the events of the last day: it reads little, however many events there are. */
function recentProjectsQuery(sources: readonly NamedSource[]): string {
  const each = sources.map(
    ({ name, project_field: field }) =>
      `select t.${field} as project, count(*) as events from sources.${name} as t where t.timestamp >= timestamp_sub(current_timestamp(), interval 1 day) group by project`,
  );
  return `select project, sum(events) as events from (\n${each.join('\nunion all\n')}\n) group by project order by events desc`;
}

/** Whether the token may find projects: a draft reads the events of all. */
function useMayFindProjects(): boolean {
  const { session, described } = useSignedIn();
  return (
    described.operations.has('endpoints.run') &&
    may(session, 'query') &&
    session.projects === null &&
    may(session, 'manage')
  );
}

type FoundRows = readonly { readonly [name: string]: Json }[];

async function found(queryOf: (sources: readonly NamedSource[]) => string, signal: AbortSignal): Promise<FoundRows> {
  const { sources } = await bodyOf<'sources.list'>('/api/sources', { signal });
  const definition = { name: 'console.projects', query: queryOf(sources), max_rows: rowsMax };
  const call = { method: 'POST', body: { definition }, signal } as const;
  return (await bodyOf<'endpoints.run'>('/api/endpoints/run', call)).result;
}

const noticeMs = 3000;

/**
 * The projects with events, most events first. It counts every event, so it is for pages that show the counts. Only for
 * tokens that may run drafts; others get none.
 */
export function useProjectEvents() {
  const { session } = useSignedIn();
  return useQuery<readonly ProjectEvents[]>({
    queryKey: ['projects', session.tokenId],
    enabled: useMayFindProjects(),
    staleTime: 300_000,
    // The first event is noticed when it arrives.
    refetchInterval: ({ state }) => (state.data?.length === 0 ? noticeMs : false),
    queryFn: async ({ signal }): Promise<readonly ProjectEvents[]> => gathered(await found(projectsQuery, signal)),
  });
}

/** Bytes of the events of each project, before compression. Asked for by `refetch` only, because it takes long. */
export function useProjectBytes() {
  const { session } = useSignedIn();
  return useQuery({
    queryKey: ['project bytes', session.tokenId],
    enabled: false,
    retry: false,
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, number>> => {
      const rows = await found(bytesQuery, signal);
      return new Map(rows.map(({ project, bytes }) => [textOf(project), Number(bytes)]));
    },
  });
}

function gathered(rows: FoundRows): readonly ProjectEvents[] {
  const projects = new Map<string, ProjectEvents>();
  for (const row of rows) {
    if (!isObject(row) || typeof row.project !== 'string') continue;
    const of = {
      source: textOf(row.source),
      events: Number(row.events),
      first: textOf(row.first_event),
      last: textOf(row.last_event),
    };
    const before = projects.get(row.project);
    projects.set(row.project, {
      project: row.project,
      events: (before?.events ?? 0) + of.events,
      first: before === undefined || of.first < before.first ? of.first : before.first,
      last: before === undefined || of.last > before.last ? of.last : before.last,
      sources: [...(before?.sources ?? []), of],
    });
  }
  return [...projects.values()].sort((a, b) => b.events - a.events);
}

/** The parameter of an endpoint that names the project. */
export const projectOf = ({ parameters }: DescribedEndpoint): DescribedParameter | undefined =>
  parameters.find(({ name }) => name === 'project');

/**
 * Names of projects to choose from: those that `parameter` allows, else those of the token, else those of recent or all
 * events and those that were used here before.
 */
export function useProjectNames(parameter?: DescribedParameter): {
  readonly names: readonly string[];
  readonly isComplete: boolean;
  readonly isLoading: boolean;
  readonly error: Error | null;
} {
  const { session } = useSignedIn();
  const client = useQueryClient();
  const { data, isLoading, error } = useQuery({
    queryKey: ['project names', session.tokenId],
    enabled: useMayFindProjects(),
    staleTime: 300_000,
    queryFn: async ({ signal }): Promise<readonly string[]> => {
      const recent = namesIn(await found(recentProjectsQuery, signal));
      return recent.length > 0 ? recent : gathered(await found(projectsQuery, signal)).map(({ project }) => project);
    },
  });
  const only = (parameter === undefined ? null : valuesOf(parameter)) ?? session.projects;
  if (only !== null) return { names: only, isComplete: true, isLoading: false, error: null };
  // Older ones too, if a page has counted them.
  const counted = client.getQueryData<readonly ProjectEvents[]>(['projects', session.tokenId]) ?? [];
  const all = [...(data ?? []), ...counted.map(({ project }) => project), ...rememberedList('projects')];
  const names = [...new Set(all)];
  return { names, isComplete: false, isLoading, error };
}

const namesIn = (rows: FoundRows): readonly string[] =>
  rows.flatMap(({ project }) => (typeof project === 'string' && project !== '' ? [project] : []));
