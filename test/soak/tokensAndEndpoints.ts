import { hostileProject } from './attackers.ts';
import { tenants } from './soakBatch.ts';
import type { SoakRun, SoakTokens } from './soakRun.ts';

export const cachedSeconds = 10;

/** An endpoint that is cached for a short time and refreshed in the background. */
export const cachedEndpoint = {
  id: '5f0c8a52-91d4-4c1e-8a57-20d1c7e6b9f1',
  name: 'soak.totals',
  description: 'Totals of one tenant, cached.',
  query: `with edge as (
  select t.event_message from sources.edge_logs as t where t.project = @project
)
select count(*) as events, ifnull(sum(cast(split(event_message, '/')[safe_offset(3)] as int64)), 0) as amount,
  countif(not starts_with(event_message, concat(@project, '/'))) as strangers
from edge`,
  parameters: { project: { type: 'string', required: true, description: 'The tenant.', example: 'soakalder' } },
  cache_seconds: cachedSeconds,
  warm_seconds: 5,
  sandbox: true,
};

/** An endpoint that is changed all the time: its row has the number that its last change wrote. */
export const changedEndpoint = {
  id: '5f0c8a52-91d4-4c1e-8a57-20d1c7e6b9f2',
  name: 'soak.changed',
  description: 'Tells its own number.',
  query: changedQuery(0),
  parameters: {},
  sandbox: false,
};

export function changedQuery(number: number): string {
  return `select ${number} as number`;
}

/** Creates the tokens and endpoints of the soak; the service must be running. `admin` has all scopes. */
export async function makeTokens(run: SoakRun, admin: string): Promise<SoakTokens> {
  const make = async (body: object): Promise<string> => {
    const reply = await run.send(
      'making a token',
      '/api/tokens',
      {
        method: 'POST',
        headers: { 'x-api-key': admin, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      },
      ['201'],
    );
    const token = JSON.parse(reply?.text ?? '{}').token;
    if (typeof token !== 'string') throw new Error(`no token was made: ${reply?.text}`);
    return token;
  };
  const restricted = await Promise.all(
    tenants.map(async (tenant) => {
      const restrictions = { projects: [tenant] };
      return [tenant, await make({ description: tenant, scopes: ['query', 'ingest'], restrictions })] as const;
    }),
  );
  return {
    admin,
    query: await make({ description: 'all tenants', scopes: ['query', 'query:fresh'] }),
    heavy: await make({ description: 'misbehaves', scopes: ['query'] }),
    ingest: await make({ description: 'ships', scopes: ['ingest'] }),
    hostile: await make({
      description: 'hostile',
      scopes: ['query', 'ingest'],
      restrictions: { projects: [hostileProject] },
    }),
    hostileManager: await make({ description: 'hostile manager', scopes: ['manage'] }),
    restricted: new Map(restricted),
  };
}

export async function makeEndpoints(run: SoakRun): Promise<void> {
  for (const definition of [cachedEndpoint, changedEndpoint]) {
    const reply = await run.send(
      'making an endpoint',
      '/api/endpoints',
      {
        method: 'POST',
        headers: { 'x-api-key': run.tokens.admin, 'content-type': 'application/json' },
        body: JSON.stringify(definition),
      },
      ['201'],
    );
    if (reply?.status !== 201) throw new Error(`${definition.name} was not made: ${reply?.text}`);
  }
}
