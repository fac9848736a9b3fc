import { createHash, timingSafeEqual } from 'node:crypto';
import Fastify from 'fastify';
import pg from 'pg';
import type { SentEvent } from '../sentEvent.ts';

/**
 * The HTTP API of a stack that stores its logs in PostgreSQL, as small as it can be: a route that checks a token and runs a
 * prepared statement, and one that stores events. The server makes the JSON. Run in its own process; the only argument is
 * `BareStatementsInputs` as JSON. Prints its address.
 */
export interface BareStatementsInputs {
  readonly token: string;
  /** Folder of the server's socket. */
  readonly host: string;
  readonly user: string;
  /** SQL by name, with the parameters `{project}`, `{after}` and `{search}`. */
  readonly statements: Readonly<Record<string, string>>;
}

const connections = 8;
const bodyLimit = 16 * 2 ** 20;

const { token, host, user, statements }: BareStatementsInputs = JSON.parse(process.argv[2] ?? '');
const hash = (text: string) => createHash('sha256').update(text).digest();
const expected = hash(token);
const pool = new pg.Pool({ host, user, database: 'postgres', max: connections });

interface Prepared {
  readonly name: string;
  readonly text: string;
  /** Names of the parameters, in order. */
  readonly parameters: readonly string[];
}

const prepared = new Map(Object.entries(statements).map(([name, text]) => [name, prepare(name, text)]));

function prepare(name: string, text: string): Prepared {
  const parameters: string[] = [];
  const numbered = text.replaceAll(/\{(project|after|search)\}/g, (_, parameter: string) => {
    if (!parameters.includes(parameter)) parameters.push(parameter);
    const place = parameters.indexOf(parameter) + 1;
    return `$${place}::${parameter === 'after' ? 'timestamp' : 'text'}`;
  });
  return { name, text: `SELECT coalesce(json_agg(q), '[]')::text FROM (${numbered}) AS q`, parameters };
}

const insert = {
  name: 'insert',
  text: `INSERT INTO events (id, timestamp, event_message, body, stream)
    SELECT id, timestamp 'epoch' + micros * interval '1 microsecond', message, body, $5
    FROM unnest($1::text[], $2::bigint[], $3::text[], $4::jsonb[]) AS e(id, micros, message, body)`,
};

const projectOf = ({ project, metadata }: SentEvent) =>
  project ?? metadata.project_ref ?? metadata.project ?? metadata.tenantId ?? metadata.external_id;

const app = Fastify({ logger: false, bodyLimit });
app.addHook('onRequest', async (request, reply) => {
  const presented = request.headers['x-api-key'];
  if (typeof presented !== 'string' || !timingSafeEqual(hash(presented), expected)) return reply.code(401).send();
});
app.get<{ Params: { name: string }; Querystring: Record<string, string> }>('/rows/:name', async (request, reply) => {
  const statement = prepared.get(request.params.name);
  if (statement === undefined) return reply.code(404).send();
  const values = statement.parameters.map((parameter) => request.query[parameter]);
  const { rows } = await pool.query<[string]>({
    name: statement.name,
    text: statement.text,
    values,
    rowMode: 'array',
  });
  return reply.type('application/json').send(`{"result":${rows[0]?.[0]}}`);
});
app.post<{ Body: readonly SentEvent[]; Querystring: { source: string } }>('/events', async (request) => {
  const events = request.body;
  const values = [
    events.map(({ id }) => id),
    events.map(({ timestamp }) => timestamp),
    events.map(({ event_message }) => event_message),
    events.map((event) => JSON.stringify({ project: projectOf(event), metadata: event.metadata })),
    request.query.source,
  ];
  const { rowCount } = await pool.query({ ...insert, values });
  return { stored: rowCount };
});
console.log(`listening on ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
