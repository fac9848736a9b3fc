import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { benchedQueries } from '../benchedQueries.ts';
import { callLogs } from '../callerOverHttp.ts';
import { measuredProjects } from '../projects.ts';
import { getOverHttp } from '../suite/getOverHttp.ts';
import { type CallerCase, callerCases } from '../suite/parts/callerQueries.ts';
import { presentMs } from '../suite/preparedEvents.ts';
import type { HandStatement } from './handClient.ts';
import { percentile, storedStatement, timeText } from './storedStatements.ts';

export const groups = ['endpoints', 'callers', 'lql', 'console'] as const;

/** A call of the service, and the best statement that we could write by hand for the same rows. */
export interface Question {
  readonly group: (typeof groups)[number];
  readonly what: string;
  /** Body of a POST to `logs.all`, or a shipped endpoint with its parameters. */
  readonly ask: (url: string) => Promise<Buffer>;
  readonly byHand: HandStatement;
  /** Positions of the columns that are compared, if rows of equal rank may differ; otherwise all are. */
  readonly compared?: readonly number[];
}

const dayMs = 86_400_000;

export const questions: readonly Question[] = [
  ...benchedQueries.map(
    (query): Question => ({
      group: 'endpoints',
      what: query.title,
      ask: async (url) => (await getOverHttp(url, query, { isCacheAsked: false })).body,
      // With the time of the call.
      get byHand() {
        return storedStatement(query);
      },
    }),
  ),
  ...callerCases.filter(isOfLarge).map(({ what, query, asked: { project, afterMicros } }): Question => {
    const start = afterMicros === null ? {} : { iso_timestamp_start: new Date(afterMicros / 1000).toISOString() };
    return {
      group: 'callers',
      what,
      ask: async (url) => await ask(url, { project, ...start, sql: query.text }),
      byHand: {
        sql: readFileSync(join(import.meta.dirname, 'callers', `${query.name}.sql`), 'utf8').trim(),
        parameters: { project, ...(afterMicros === null ? {} : { after: timeText(afterMicros / 1000) }) },
      },
    };
  }),
  ...lqlQuestions(),
  ...consoleQuestions(),
];

/** Smaller projects have too few events in a day for more than what every call costs. */
function isOfLarge({ asked }: CallerCase): boolean {
  return asked.project === measuredProjects.large;
}

async function ask(url: string, body: Readonly<Record<string, string | number>>): Promise<Buffer> {
  const answer = await callLogs(url, body);
  if (answer.status !== 200) throw new Error(`it was answered with ${answer.status}: ${answer.body.toString()}`);
  return answer.body;
}

/** The rows of a chart by hand: if there are more than an answer may have, it keeps the newest buckets. */
function newestBuckets(chart: string): string {
  return `SELECT * FROM (${chart} ORDER BY period DESC LIMIT 1000) ORDER BY period`;
}

/** Everything that LQL can say, over a day of the large project. */
function lqlQuestions(): readonly Question[] {
  const { large: project } = measuredProjects;
  const after = presentMs - dayMs;
  const clause = `t:>${new Date(after).toISOString()}`;
  const parameters = { project, after: timeText(after) };
  const where = 'project = {project:String} AND timestamp > {after:DateTime64(6)}';
  const rows = (what: string, lql: string, columns: string, condition: string, table = 'edge_logs'): Question => ({
    group: 'lql',
    what,
    ask: async (url) => await ask(url, { project, lql: `f:${table} ${lql} ${clause}` }),
    byHand: {
      sql: `SELECT ${columns} FROM ${table} WHERE ${where} AND ${condition} ORDER BY timestamp DESC, arrival_number DESC LIMIT 1000`,
      parameters,
    },
  });
  const chart = (what: string, lql: string, period: string, value: string): Question => ({
    group: 'lql',
    what,
    ask: async (url) => await ask(url, { project, lql: `f:edge_logs ${lql} ${clause}` }),
    byHand: {
      sql: newestBuckets(
        `SELECT ${period}(timestamp) AS period, ${value} FROM edge_logs WHERE ${where} GROUP BY period`,
      ),
      parameters,
    },
  });
  const shown = 's:timestamp s:m.request.path s:event_message';
  const columns = 'timestamp, request_path, event_message';
  const member = (...path: readonly string[]) => path.map((each) => `'${each}'`).join(', ');
  return [
    rows('rows with a word', `"invoices" ${shown}`, columns, `event_message LIKE '%invoices%'`),
    rows(
      'rows that match a pattern',
      `~"(orders|teams)[?]" ${shown}`,
      columns,
      `match(event_message, '(orders|teams)[?]')`,
    ),
    rows('rows by status', `m.response.status_code:>=500 ${shown}`, columns, 'response_status_code >= 500'),
    rows(
      'rows by status range and method',
      `m.response.status_code:400..499 m.request.method:POST ${shown}`,
      columns,
      `response_status_code BETWEEN 400 AND 499 AND request_method = 'POST'`,
    ),
    rows(
      'rows of all other statuses',
      `-m.response.status_code:200 ${shown}`,
      columns,
      'ifNull(response_status_code != 200, true)',
    ),
    rows(
      'rows by a member without a column',
      `m.request.cf.country:FI ${shown}`,
      columns,
      `JSONExtractString(metadata, ${member('request', 'cf', 'country')}) = 'FI'`,
    ),
    rows(
      'rows that lack a member',
      `m.request.search:NULL ${shown}`,
      columns,
      `JSONExtract(metadata, ${member('request', 'search')}, 'Nullable(String)') IS NULL`,
    ),
    rows(
      'rows with an element of an array',
      `m.context.mfa:@>"join" s:timestamp s:event_message`,
      'timestamp, event_message',
      `has(JSONExtract(ifNull(metadata, ''), ${member('context', 'mfa')}, 'Array(String)'), 'join')`,
      'realtime_logs',
    ),
    rows(
      'rows by level',
      'm.level:warning..critical s:timestamp s:event_message',
      'timestamp, event_message',
      `level IN ('warning', 'error', 'critical')`,
      'auth_logs',
    ),
    chart('count by minute', 'c:count(*) c:group_by(t::minute)', 'toStartOfMinute', 'count()'),
    chart(
      'distinct values by hour',
      'c:countd(m.request.path) c:group_by(t::hour)',
      'toStartOfHour',
      'uniqExact(request_path)',
    ),
    chart(
      'p95 by hour',
      'c:p95(m.response.origin_time) c:group_by(t::hour)',
      'toStartOfHour',
      percentile('response_origin_time', 95),
    ),
    chart(
      'avg by hour',
      'c:avg(m.response.origin_time) c:group_by(t::hour)',
      'toStartOfHour',
      'avg(response_origin_time)',
    ),
    chart(
      'max by hour of a member without a column',
      'c:max(m.request.cf.clientTcpRtt) c:group_by(t::hour)',
      'toStartOfHour',
      `max(JSONExtractFloat(metadata, ${member('request', 'cf', 'clientTcpRtt')}))`,
    ),
  ];
}

/** What the console sends for a search over a day and over 30 days (console/src/explore). */
function consoleQuestions(): readonly Question[] {
  const { large: project } = measuredProjects;
  return [1, 30].flatMap((days): readonly Question[] => {
    const span = days === 1 ? '24 h' : `${days} days`;
    const from = presentMs - days * dayMs;
    const [after, until] = [from, presentMs].map((ms) => new Date(ms).toISOString());
    const parameters = { project, after: timeText(from), until: timeText(presentMs) };
    const where =
      'project = {project:String} AND timestamp >= {after:DateTime64(6)} AND timestamp <= {until:DateTime64(6)}';
    const times = `t:>=${after} t:<=${until}`;
    const period = days === 1 ? 'minute' : 'hour';
    const histogram = (what: string, clause: string, condition: string): Question => ({
      group: 'console',
      what: `histogram, ${what}, ${span}`,
      ask: async (url) =>
        await ask(url, { project, lql: `f:edge_logs ${times} ${clause} c:count(*) c:group_by(t::${period})` }),
      byHand: {
        sql: newestBuckets(`SELECT toStartOf${period === 'minute' ? 'Minute' : 'Hour'}(timestamp) AS period, count() FROM edge_logs
WHERE ${where}${condition} GROUP BY period`),
        parameters,
      },
    });
    const values = (path: string, column: string, compared?: readonly number[]): Question => ({
      group: 'console',
      what: `most frequent values of ${path}, ${span}`,
      ask: async (url) =>
        await ask(url, {
          project,
          sql: `select metadata.${path} as value, count(*) as n, sum(count(*)) over () as total from \`edge_logs\` where timestamp >= timestamp '${after}' and timestamp <= timestamp '${until}' group by value order by n desc limit 8`,
        }),
      byHand: {
        sql: `SELECT ${column} AS value, count() AS n, sum(count()) OVER () AS total FROM edge_logs
WHERE ${where} GROUP BY value ORDER BY n DESC LIMIT 8`,
        parameters,
      },
      ...(compared === undefined ? {} : { compared }),
    });
    return [
      {
        group: 'console',
        what: `rows, ${span}`,
        ask: async (url) =>
          await ask(url, {
            project,
            page_size: 1000,
            lql: `f:edge_logs ${times} s:id@c_id s:timestamp@c_time s:event_message@c_message s:m.response.status_code@c_status`,
          }),
        byHand: {
          sql: `SELECT id, timestamp, event_message, response_status_code FROM edge_logs
WHERE ${where} ORDER BY timestamp DESC, arrival_number DESC LIMIT 1000`,
          parameters,
        },
      },
      histogram('all', '', ''),
      histogram('errors', 'm.response.status_code:>=500', ' AND response_status_code >= 500'),
      histogram('warnings', 'm.response.status_code:400..499', ' AND response_status_code BETWEEN 400 AND 499'),
      values('response.status_code', 'response_status_code'),
      values('request.path', 'request_path'),
      values('request.cf.country', `JSONExtractString(metadata, 'request', 'cf', 'country')`),
      // Nearly as many values as rows, so values of equal counts differ.
      values('request.url', 'request_url', [1, 2]),
    ];
  });
}
