import { measuredProjects } from './projects.ts';

export interface BenchedQuery {
  readonly title: string;
  /** Base name of the definition's file. */
  readonly definition: 'logs.all' | 'logs.all.retention' | 'functions.invocation-stats' | 'usage.api-counts';
  readonly parameters: Readonly<Record<string, string>>;
  /** Whether it is a "newest 100", which has its own target. */
  readonly isNewest: boolean;
}

/** The four endpoints, for projects of every size. */
export const benchedQueries: readonly BenchedQuery[] = Object.entries(measuredProjects).flatMap(([size, project]) => [
  {
    title: `logs.all, ${size}`,
    definition: 'logs.all' as const,
    parameters: { project },
    isNewest: true,
  },
  {
    title: `logs.all retention variant, ENTERPRISE, ${size}`,
    definition: 'logs.all.retention' as const,
    parameters: { project, project_tier: 'ENTERPRISE' },
    isNewest: true,
  },
  ...['1hr', '1day', '7day'].map((interval) => ({
    title: `functions.invocation-stats ${interval}, ${size}`,
    definition: 'functions.invocation-stats' as const,
    parameters: { project, interval },
    isNewest: false,
  })),
  ...['minutely', 'daily'].map((interval) => ({
    title: `usage.api-counts ${interval}, ${size}`,
    definition: 'usage.api-counts' as const,
    parameters: { project, interval },
    isNewest: false,
  })),
]);
