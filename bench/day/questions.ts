import { endpointIdOf } from '../bareEngine.ts';
import { callerQueries } from '../callerQueries.ts';
import { callerStatement, storedStatement } from '../postgres/statements.ts';

/** What a dashboard or a person asks about one project. */
export interface Question {
  readonly kind: 'newest' | 'day' | 'week' | 'sql' | 'lql' | 'search';
  /** Name of a text in `texts`. */
  readonly text: string;
  readonly project: string;
  /** Only events later than this, ISO 8601; null for the whole history. */
  readonly after: string | null;
  /** The searched text; null if the question is not a search. */
  readonly search: string | null;
}

/** A question in the language of each side. */
interface Text {
  /** Parameters of `logs.all` in addition to the project and the time. `{search}` stands for the searched text. */
  readonly logmill: Readonly<Record<string, string>>;
  /** SQL for PostgreSQL with the parameters `{project}`, `{after}` and `{search}`. */
  readonly postgres: string;
}

const textsOfCallers = ['error-rate', 'p95-by-hour', 'group-by-status', 'top-paths', 'newest-status', 'slow-functions'];

/** What panels ask with `sql`, in addition to charts. */
export const sqlTexts = ['group-by-status', 'top-paths', 'newest-status', 'slow-functions'] as const;
/** What panels ask with `lql`. */
export const lqlTexts = ['lql-failures', 'lql-errors', 'lql-p95'] as const;
export const searchTexts = ['lql-search', 'sql-search'] as const;

const ofProject = (stream: string) =>
  `FROM events WHERE stream = '${stream}' AND body->>'project' = {project} AND timestamp > {after}`;
const status = `(body#>>'{metadata,response,status_code}')::int`;
/** LQL has no LIMIT, so the endpoint's `max_rows` is the limit. */
const newestOf = (columns: string, stream: string, condition: string) =>
  `SELECT id, timestamp, event_message${columns} ${ofProject(stream)} AND ${condition} ORDER BY timestamp DESC LIMIT 1000`;

export const texts: Readonly<Record<string, Text>> = {
  newest: {
    logmill: {},
    postgres: storedStatement({ title: '', definition: 'logs.all', parameters: {}, isNewest: true }).text,
  },
  ...Object.fromEntries(
    textsOfCallers.map((name) => [name, { logmill: { sql: callerText(name) }, postgres: callerStatement(name).text }]),
  ),
  'lql-failures': {
    logmill: { lql: 'f:edge_logs m.response.status_code:>=500' },
    postgres: newestOf(`, ${status} AS status_code`, 'edge_logs', `${status} >= 500`),
  },
  'lql-errors': {
    logmill: { lql: 'f:database_logs m.parsed.error_severity:ERROR' },
    postgres: newestOf(
      `, body#>>'{metadata,parsed,error_severity}' AS error_severity`,
      'database_logs',
      `body#>>'{metadata,parsed,error_severity}' = 'ERROR'`,
    ),
  },
  'lql-p95': {
    logmill: { lql: 'f:function_edge_logs c:p95(m.execution_time_ms) c:group_by(t::hour)' },
    postgres: `SELECT date_trunc('hour', timestamp) AS timestamp,
        percentile_disc(0.95) WITHIN GROUP (ORDER BY (body#>>'{metadata,execution_time_ms}')::int) AS p95
      ${ofProject('function_edge_logs')} GROUP BY 1 ORDER BY 1`,
  },
  'lql-search': {
    logmill: { lql: 'f:edge_logs "{search}"' },
    postgres: newestOf('', 'edge_logs', `event_message LIKE '%' || {search} || '%'`),
  },
  'sql-search': {
    logmill: {
      sql: `select id, timestamp, event_message from edge_logs where event_message like '%{search}%' order by timestamp desc limit 100`,
    },
    postgres: `SELECT id, timestamp, event_message ${ofProject('edge_logs')}
      AND event_message LIKE '%' || {search} || '%' ORDER BY timestamp DESC LIMIT 100`,
  },
};

function callerText(name: string): string {
  const found = callerQueries.find((query) => query.name === name);
  if (found === undefined) throw new Error(`no caller query ${name}`);
  return found.text;
}

/** An HTTP request, without the address of the side. */
export interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** JSON; null for a GET. */
  readonly body: string | null;
}

/** How Logmill is asked: the newest rows with a GET, and everything else with a POST, as the console does. */
export function logmillRequest({ text, project, after, search }: Question): Request {
  const path = `/api/endpoints/query/${endpointIdOf('logs.all')}`;
  const given = Object.entries(textOf(text).logmill);
  const parameters = { project, ...(after === null ? {} : { iso_timestamp_start: after }) };
  if (given.length === 0) return { method: 'GET', path: `${path}?${new URLSearchParams(parameters)}`, body: null };
  const filled = given.map(([name, value]) => [name, value.replaceAll('{search}', search ?? '')]);
  return { method: 'POST', path, body: JSON.stringify({ ...parameters, ...Object.fromEntries(filled) }) };
}

/** How the route in front of PostgreSQL is asked (bareStatements.ts). */
export function postgresRequest({ text, project, after, search }: Question): Request {
  const given = { project, ...(after === null ? {} : { after }), ...(search === null ? {} : { search }) };
  return { method: 'GET', path: `/rows/${text}?${new URLSearchParams(given)}`, body: null };
}

function textOf(name: string): Text {
  const text = texts[name];
  if (text === undefined) throw new Error(`no text ${name}`);
  return text;
}
