import { useQuery } from '@tanstack/react-query';
import { callApi } from '../api/callApi.ts';
import { isObject, type Json, textOf } from '../api/losslessJson.ts';
import { may } from '../api/session.ts';
import type { Answers, Source } from '../api/types.ts';
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

/** A stored query may read every source, so it finds the projects. It is run as a draft and stored nowhere. */
export function projectsQuery(sources: readonly Pick<Source, 'name' | 'project_field'>[]): string {
  return sources
    .map(
      ({ name, project_field: field }) =>
        `select '${name}' as source, t.${field} as project, count(*) as events, min(t.timestamp) as first_event, max(t.timestamp) as last_event\nfrom sources.${name} as t group by project`,
    )
    .join('\nunion all\n');
}

/** The projects with events, most events first. Only for tokens that may run drafts; others get none. */
export function useProjectEvents() {
  const { session, described } = useSignedIn();
  const isAllowed =
    described.operations.has('endpoints.run') &&
    may(session, 'query') &&
    session.projects === null &&
    may(session, 'manage');
  return useQuery({
    queryKey: ['projects', session.tokenId],
    enabled: isAllowed,
    queryFn: async ({ signal }): Promise<readonly ProjectEvents[]> => {
      const { sources } = (await callApi('/api/sources', { signal })).body as unknown as Answers['sources.list'];
      const definition = { name: 'console.projects', query: projectsQuery(sources), max_rows: rowsMax };
      const { body } = await callApi('/api/endpoints/run', { method: 'POST', body: { definition }, signal });
      const { result } = body as unknown as Answers['endpoints.run'];
      return gathered(result);
    },
  });
}

function gathered(rows: readonly { readonly [name: string]: Json }[]): readonly ProjectEvents[] {
  const found = new Map<string, ProjectEvents>();
  for (const row of rows) {
    if (!isObject(row) || typeof row.project !== 'string') continue;
    const of = {
      source: textOf(row.source),
      events: Number(row.events),
      first: textOf(row.first_event),
      last: textOf(row.last_event),
    };
    const before = found.get(row.project);
    found.set(row.project, {
      project: row.project,
      events: (before?.events ?? 0) + of.events,
      first: before === undefined || of.first < before.first ? of.first : before.first,
      last: before === undefined || of.last > before.last ? of.last : before.last,
      sources: [...(before?.sources ?? []), of],
    });
  }
  return [...found.values()].sort((a, b) => b.events - a.events);
}

/** Names of projects to choose from: of the token, of the events, and those that were used here before. */
export function useProjectNames(): {
  readonly names: readonly string[];
  readonly isComplete: boolean;
  readonly isLoading: boolean;
} {
  const { session } = useSignedIn();
  const { data, isLoading } = useProjectEvents();
  if (session.projects !== null) return { names: session.projects, isComplete: true, isLoading: false };
  const before = rememberedList('projects');
  const names = [...new Set([...(data ?? []).map(({ project }) => project), ...before])];
  return { names, isComplete: false, isLoading };
}
