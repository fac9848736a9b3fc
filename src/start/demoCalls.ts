import { demoProjects } from '../demo/generate.ts';

/** A call to try, as a line for a shell. */
export interface DemoCall {
  readonly title: string;
  readonly command: string;
}

/**
 * Id of the shipped retention variant (contract, section 2). It answers by id, because its name belongs to logs.all.
 */
const retentionVariantId = '6827ba9b-37ca-425d-8cde-4f10a8dd70f3';

/**
 * Sample calls of all four shipped endpoints, and one caller query. Each returns rows while the sample data is recent.
 */
export function demoCalls(url: string, token: string): readonly DemoCall[] {
  const [project] = demoProjects;
  const call = (title: string, endpoint: string, parameters: Readonly<Record<string, string>>): DemoCall => ({
    title,
    command: `curl -sS -H 'X-API-KEY: ${token}' '${url}/api/endpoints/query/${endpoint}?${new URLSearchParams(parameters).toString()}'`,
  });
  const sql =
    'select r.status_code, count(*) as requests from edge_logs cross join unnest(metadata) as m cross join unnest(m.response) as r group by r.status_code order by requests desc';
  return [
    call('The newest requests of a project', 'logs.all', { project }),
    call('The same within the retention window of its tier', retentionVariantId, { project, project_tier: 'PRO' }),
    call('Function invocations, by the hour', 'functions.invocation-stats', { project, interval: '1day' }),
    call('Requests by API area, by the day', 'usage.api-counts', { project, interval: 'daily' }),
    {
      title: 'A query of your own over the same tables',
      command: `curl -sSG -H 'X-API-KEY: ${token}' '${url}/api/endpoints/query/logs.all?project=${project}' --data-urlencode 'sql=${sql}'`,
    },
  ];
}
