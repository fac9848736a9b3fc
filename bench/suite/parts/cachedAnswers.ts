import { token } from '../../benchedService.ts';
import { measuredProjects } from '../../projects.ts';
import { measureBesideRoute } from '../besideBareRoute.ts';
import type { Figure } from '../figure.ts';
import type { PartContext } from '../partContext.ts';
import type { PreparedEvents } from '../preparedEvents.ts';

const part = 'cached answers';
const headers = { 'x-api-key': token };

/** Caches rows of 100 whole events. No shipped endpoint caches rows of that size. */
const wideEndpoint = {
  name: 'bench.newest-kept',
  description: 'The newest edge requests of a project, kept for a while.',
  query:
    'select t.id, t.timestamp, t.event_message, t.metadata from sources.edge_logs as t where t.project = @project order by timestamp desc, id desc limit 100',
  parameters: { project: { type: 'string', required: true } },
  cache_seconds: 900,
} as const;

/** Compares repeated cached answers with a bare Fastify route. */
export async function measureCachedAnswers(context: PartContext, prepared: PreparedEvents): Promise<readonly Figure[]> {
  return await context.serving(context.copyOf(prepared), async (service) => {
    const created = await fetch(`${service.url}/api/endpoints`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(wideEndpoint),
    });
    if (created.status !== 201) throw new Error(`the endpoint was not created: ${await created.text()}`);
    const project = measuredProjects.large;
    const figures: Figure[] = [];
    for (const [what, query] of [
      [
        '61 rows of statistics',
        `functions.invocation-stats?${new URLSearchParams({ project, interval: '1hr', fill: 'zero' })}`,
      ],
      ['100 whole events', `${wideEndpoint.name}?${new URLSearchParams({ project })}`],
    ] as const) {
      const url = `${service.url}/api/endpoints/query/${query}`;
      const kept = {
        part,
        what,
        url,
        status: /cache-status: Logmill; hit; ttl/i,
        target: 'cachedRate',
      } as const;
      figures.push(...(await measureBesideRoute(context, service, kept)));
    }
    return figures;
  });
}
