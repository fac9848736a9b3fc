import { randomUUID } from 'node:crypto';
import type { HoldCase } from './holdCase.ts';
import type { HoldClient } from './holdClient.ts';

const definitionCount = 900;
const tokenCount = 5_000;
/** Tokens that are created at the same time. */
const atOnce = 16;
const queryBytes = 60 * 1024;

/** As many conditions as fit into a query; `mark` makes it a new one, which is not compiled yet. */
function longQuery(mark: string): string {
  const beginning = `with a as (select id, timestamp from sources.edge_logs where project = @project`;
  const conditions: string[] = [];
  for (let n = 0, bytes = 0; bytes < queryBytes; n++) {
    const condition = ` and id <> '${mark}${n}'`;
    conditions.push(condition);
    bytes += condition.length;
  }
  return `${beginning}${conditions.join('')}) select id from a`;
}

const longDefinition = (mark: string) => ({
  id: randomUUID(),
  name: `bench.long-${mark}`,
  query: longQuery(mark),
  parameters: { project: { type: 'string' } },
  sandbox: true,
});

const newMark = () => randomUUID().slice(0, 4);

const definitions = () =>
  Array.from({ length: definitionCount }, (_, n) => ({
    id: randomUUID(),
    name: `bench.stored-${n}-${newMark()}`,
    query: `select ${n} as n, @project as p`,
    parameters: { project: { type: 'string' } },
  }));

const definitionsOnce = definitions();

async function makeTokens(client: HoldClient): Promise<void> {
  const make = async (): Promise<void> => {
    for (let n = 0; n < tokenCount / atOnce; n++) {
      const { status, detail } = await client.json('POST', '/api/tokens', { description: `t${n}`, scopes: ['query'] });
      if (status !== 201) throw new Error(`a token was answered with ${status} ${detail}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, make));
}

/** Operations on definitions and tokens, many at once or large ones. */
export const storeCases: readonly HoldCase[] = [
  {
    name: 'a check of a definition of 64 KiB',
    run: (client) => client.json('POST', '/api/endpoints/check', longDefinition(newMark())),
  },
  { name: 'a definition of 64 KiB', run: (client) => client.json('POST', '/api/endpoints', longDefinition(newMark())) },
  { name: 'OpenAPI with definitions of 64 KiB', run: (client) => client.send('GET', '/openapi.json') },
  {
    name: 'a dry run of a deployment of 900',
    run: (client) => client.json('POST', '/api/endpoints/deploy?dry_run=true', { definitions: definitions() }),
  },
  {
    name: 'a deployment of 900, and again',
    run: (client) => client.json('POST', '/api/endpoints/deploy', { definitions: definitionsOnce }),
  },
  {
    name: 'a deployment of 900 that change',
    run: (client) =>
      client.json('POST', '/api/endpoints/deploy', {
        definitions: definitionsOnce.map((each) => ({ ...each, query: `${each.query} -- ${newMark()}` })),
      }),
  },
  { name: 'OpenAPI of 900 more endpoints', run: (client) => client.send('GET', '/openapi.json') },
  {
    name: 'the first of 5,000 tokens',
    prepare: makeTokens,
    run: (client) => client.send('GET', '/api/tokens?limit=1000'),
  },
  { name: 'the audit trail of 5,000 tokens', run: (client) => client.send('GET', '/api/audit?limit=1000') },
  { name: 'metrics with 5,000 tokens', run: (client) => client.send('GET', '/metrics') },
];
