import type { SeededRandom } from '../../src/demo/seededRandom.ts';
import type { Totals } from './ledger.ts';
import { addressPrefix, mailDomain, type SoakSource, sources, type Tenant, tenants } from './soakBatch.ts';
import type { SoakRun } from './soakRun.ts';
import { cachedEndpoint, cachedSeconds } from './tokensAndEndpoints.ts';

type Row = Readonly<Record<string, unknown>>;

const amount = "cast(split(event_message, '/')[safe_offset(3)] as int64)";
export const totalsSql = (tenant: Tenant, source: SoakSource): string =>
  `select count(*) as events, ifnull(sum(${amount}), 0) as amount,
    countif(not starts_with(event_message, '${tenant}/')) as strangers,
    countif(starts_with(split(event_message, '/')[safe_offset(2)], 'r')) as refused from ${source}`;

/** A call that checks its own answer. */
export type CheckedCall = (run: SoakRun, random: SeededRandom) => Promise<void>;

/** Calls an endpoint; returns its rows, or null if a fault explains why there are none. */
async function rowsOf(
  run: SoakRun,
  sort: string,
  endpoint: string,
  parameters: Readonly<Record<string, string>>,
  token: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly rows: readonly Row[]; readonly text: string; readonly meta: Row } | null> {
  const path = `/api/endpoints/query/${endpoint}?${new URLSearchParams(parameters)}`;
  const reply = await run.send(sort, path, { headers: { 'x-api-key': token, ...headers } });
  if (reply?.status !== 200) return null;
  const { result, meta } = JSON.parse(reply.text) as { result: readonly Row[]; meta: Row & { cache: Row } };
  if (meta.cache.outcome === 'unchanged') run.countAs(sort, 'unchanged');
  return { rows: result, text: reply.text, meta };
}

const tokenFor = (run: SoakRun, random: SeededRandom, tenant: Tenant): string =>
  random.chance(0.5) ? (run.tokens.restricted.get(tenant) ?? '') : run.tokens.query;

/**
 * Answers must say if events are missing because of a damaged file (contract, section 1, "Never a silent wrong
 * answer").
 */
function checkNotice(run: SoakRun, sort: string, events: number, acknowledged: Totals, meta: Row): void {
  if (events >= acknowledged.events || JSON.stringify(meta.notices).includes('data.damaged_file')) return;
  run.find(`${sort} lacked events without a notice`, `${events} of ${acknowledged.events}: ${JSON.stringify(meta)}`);
}

function checkWithin(run: SoakRun, sort: string, found: Partial<Totals>, least: Totals, most: Totals): void {
  for (const [name, value] of Object.entries(found) as [keyof Totals, number][]) {
    if (value >= least[name] && value <= most[name]) continue;
    run.find(`${sort} told a wrong number of ${name}`, `${value} is not from ${least[name]} to ${most[name]}`);
  }
}

/** The newest rows of a tenant: only its own, newest first. */
const newestRows: CheckedCall = async (run, random) => {
  const tenant = random.pick(tenants);
  const least = run.least(tenant, 'edge_logs');
  const answer = await rowsOf(run, 'newest rows', 'logs.all', { project: tenant }, tokenFor(run, random, tenant));
  if (answer === null) return;
  const strangers = answer.rows.filter(({ event_message }) => !String(event_message).startsWith(`${tenant}/`));
  if (strangers.length > 0) run.find('newest rows showed rows of another tenant', JSON.stringify(strangers[0]));
  const times = answer.rows.map(({ timestamp }) => String(timestamp));
  if (times.some((time, at) => at > 0 && time > (times[at - 1] ?? '')))
    run.find('newest rows were out of order', tenant);
  const wanted = Math.min(100, run.least(tenant, 'edge_logs').events, least.events);
  if (answer.rows.length < wanted)
    run.find('newest rows were missing', `${answer.rows.length} of ${wanted} of ${tenant}`);
};

/** A caller query over all events of a tenant in a source. */
const totals: CheckedCall = async (run, random) => {
  const tenant = random.pick(tenants);
  const source = random.pick(sources);
  const before = run.least(tenant, source);
  const acknowledged = run.acknowledged(tenant, source);
  const sql = totalsSql(tenant, source);
  const answer = await rowsOf(run, 'totals', 'logs.all', { project: tenant, sql }, tokenFor(run, random, tenant));
  if (answer === null) return;
  const [{ strangers, refused, ...found } = {}] = answer.rows;
  if (Number(strangers) + Number(refused) !== 0)
    run.find('totals counted what must not be there', JSON.stringify(answer.rows));
  const least = smaller(before, run.least(tenant, source));
  checkWithin(run, `totals of ${source} of ${tenant}`, found, least, run.ledger.most(tenant, source));
  checkNotice(run, `totals of ${source} of ${tenant}`, Number(found.events), acknowledged, answer.meta);
};

const chart: CheckedCall = async (run, random) => {
  const tenant = random.pick(tenants);
  const before = run.least(tenant, 'edge_logs');
  const acknowledged = run.acknowledged(tenant, 'edge_logs');
  const lql = 'f:edge_logs c:count(*) c:group_by(t::hour)';
  const answer = await rowsOf(run, 'chart in LQL', 'logs.all', { project: tenant, lql }, tokenFor(run, random, tenant));
  if (answer === null) return;
  const events = sumOf(answer.rows, 'count');
  const least = smaller(before, run.least(tenant, 'edge_logs'));
  checkWithin(run, `chart of ${tenant}`, { events }, least, run.ledger.most(tenant, 'edge_logs'));
  checkNotice(run, `chart of ${tenant}`, events, acknowledged, answer.meta);
};

/** An answer from memory equals the runs before and after it, if these are equal. */
const polled: CheckedCall = async (run, random) => {
  const tenant = random.pick(tenants);
  const source = random.pick(sources);
  const newest = `select id, timestamp, event_message from ${source} order by timestamp desc limit 20`;
  const parameters = { project: tenant, sql: random.chance(0.5) ? totalsSql(tenant, source) : newest };
  const forced = { 'cache-control': 'no-cache' };
  const seen: string[] = [];
  for (const headers of [forced, {}, {}, {}, forced]) {
    const answer = await rowsOf(run, 'polls', 'logs.all', parameters, run.tokens.query, headers);
    if (answer === null) return;
    const { notices, data_begins } = answer.meta;
    const given = (notices ?? []) as readonly { readonly code: string }[];
    // A node that cannot reach the store, and says so, does not know the events of other nodes since then.
    if (given.some(({ code }) => code === 'service.store_away')) return;
    seen.push(`${answer.text.slice(0, answer.text.indexOf('],"meta":'))} ${JSON.stringify([given, data_begins])}`);
  }
  const wrong = seen.find((each) => each !== seen[0]);
  if (seen.at(-1) === seen[0] && wrong !== undefined)
    run.find('a poll was answered with what no run gives', `${JSON.stringify(parameters)}: ${wrong}, not ${seen[0]}`);
};

/**
 * The shipped counts, without the cache. A restricted token gets only its own tenant, even with a pattern that matches
 * all.
 */
const apiCounts: CheckedCall = async (run, random) => {
  const tenant = random.pick(tenants);
  const isRestricted = random.chance(0.5);
  const token = isRestricted ? (run.tokens.restricted.get(tenant) ?? '') : run.tokens.query;
  const isFresh = !isRestricted && random.chance(0.5);
  const before = run.least(tenant, 'edge_logs');
  const answer = await rowsOf(
    run,
    isFresh ? 'API counts, fresh' : 'API counts, cached',
    'usage.api-counts',
    { project: isRestricted ? '.' : tenant, interval: '7day' },
    token,
    isFresh ? { 'cache-control': 'no-cache' } : {},
  );
  if (answer === null) return;
  const requests = sumOf(answer.rows, 'total_rest_requests');
  const least = smaller(before, run.least(tenant, 'edge_logs'));
  const oldest = isFresh ? least : { ...least, requests: 0 };
  checkWithin(run, `API counts of ${tenant}`, { requests }, oldest, run.ledger.most(tenant, 'edge_logs'));
};

const invocationStats: CheckedCall = async (run, random) => {
  const tenant = random.pick(tenants);
  const parameters = { project: tenant, interval: '7day' };
  const answer = await rowsOf(
    run,
    'invocation stats',
    'functions.invocation-stats',
    parameters,
    tokenFor(run, random, tenant),
  );
  if (answer === null) return;
  const most = run.ledger.most(tenant, 'function_edge_logs');
  checkWithin(
    run,
    `invocation stats of ${tenant}`,
    { events: sumOf(answer.rows, 'count') },
    { ...most, events: 0 },
    most,
  );
};

/** A cached result is at most ten seconds old, even if the clock was set back meanwhile. */
const cachedTotals: CheckedCall = async (run, random) => {
  const tenant = random.pick(tenants);
  const token = tokenFor(run, random, tenant);
  const oldestMs = performance.now() - (cachedSeconds + 1) * 1000 - run.spreadMs();
  const answer = await rowsOf(run, 'cached totals', cachedEndpoint.name, { project: tenant }, token);
  if (answer === null) return;
  const [{ strangers, ...found } = {}] = answer.rows;
  if (Number(strangers) !== 0) run.find('cached totals counted rows of another tenant', JSON.stringify(answer.rows));
  // If the clock was set back, a result is older than it says by the same time; the product cannot know.
  const wasPutOff = run.disturbances.since(oldestMs).has('clock');
  const least = run.ledger.least(tenant, 'edge_logs', wasPutOff ? 0 : oldestMs);
  checkWithin(run, `cached totals of ${tenant}`, found, least, run.ledger.most(tenant, 'edge_logs'));
};

/** Personal data is neither shown nor found by a condition. */
const redacted: CheckedCall = async (run, random) => {
  const tenant = random.pick(tenants);
  const headers = { 'svc-endpoint-redact-pii': 'true' };
  const isCallers = random.chance(0.5);
  const start = new Date(Date.now() - 20_000).toISOString();
  const sql = `select countif(strpos(event_message, '${mailDomain}') > 0) as mails, countif(strpos(m.request.headers.x_real_ip, '${addressPrefix}') > 0) as addresses
    from edge_logs cross join unnest(metadata) as m`;
  const parameters = { project: tenant, ...(isCallers ? { sql, iso_timestamp_start: start } : {}) };
  const answer = await rowsOf(run, 'redacted rows', 'logs.all', parameters, tokenFor(run, random, tenant), headers);
  if (answer === null) return;
  const rows = JSON.stringify(answer.rows);
  const isShown = isCallers
    ? Number(answer.rows[0]?.mails) + Number(answer.rows[0]?.addresses) > 0
    : rows.includes(mailDomain) || rows.includes(addressPrefix);
  if (isShown) run.find('personal data was shown in spite of redaction', rows);
};

/** A token that is restricted to another tenant is rejected. */
const wall: CheckedCall = async (run, random) => {
  const tenant = random.pick(tenants);
  const other = tenants.find((each) => each !== tenant) ?? tenant;
  const parameters = new URLSearchParams({
    project: other,
    ...(random.chance(0.5) ? { sql: totalsSql(other, 'edge_logs') } : {}),
  });
  const headers = { 'x-api-key': run.tokens.restricted.get(tenant) ?? '' };
  await run.send('rows of another tenant', `/api/endpoints/query/logs.all?${parameters}`, { headers }, [
    '403 auth.project',
  ]);
};

/** Disconnects before the answer. */
const leaving: CheckedCall = async (run, random) => {
  const tenant = random.pick(tenants);
  const parameters = new URLSearchParams({ project: tenant, sql: totalsSql(tenant, 'edge_logs') });
  const signal = AbortSignal.timeout(random.integer(1, 40));
  await run.send('a caller that leaves', `/api/endpoints/query/logs.all?${parameters}`, {
    headers: { 'x-api-key': run.tokens.query },
    signal,
  });
};

const operating: CheckedCall = async (run, random) => {
  const path = random.pick(['/metrics', '/api/queries', '/api/endpoints', '/openapi.json']);
  await run.send('operations', path, { headers: { 'x-api-key': run.tokens.admin } });
};

/** How long a commit of one node can keep events of others out of pages: a batch is tried for so long, or its node is dead. */
const heldMs = 30_000;

/** All events of a tenant in a small source, in pages of which each may come from another node. */
const pages: CheckedCall = async (run, random) => {
  const tenant = random.pick(tenants);
  const source = random.pick(['auth_logs', 'database_logs'] as const);
  const least = run.ledger.least(tenant, source, performance.now() - run.spreadMs() - heldMs);
  const parameters = { project: tenant, sql: `select event_message from ${source} order by timestamp desc` };
  const token = tokenFor(run, random, tenant);
  const seen: string[] = [];
  for (let page: Readonly<Record<string, string>> | null = { page_size: '500' }; page !== null; ) {
    const answer = await rowsOf(run, 'pages', 'logs.all', { ...parameters, ...page }, token);
    if (answer === null) return;
    seen.push(...answer.rows.map(({ event_message }) => String(event_message)));
    const { next } = answer.meta;
    page = typeof next === 'string' ? { cursor: next } : null;
  }
  const stranger = seen.find((message) => !message.startsWith(`${tenant}/`));
  if (stranger !== undefined) run.find('pages showed a row of another tenant', stranger);
  if (new Set(seen).size < seen.length) run.find('pages showed rows twice', `${seen.length - new Set(seen).size} rows`);
  const { events } = run.ledger.most(tenant, source);
  checkWithin(run, `pages of ${source} of ${tenant}`, { events: seen.length }, least, { ...least, events });
};

/** Each call with its weight. */
export const checkedCalls: readonly (readonly [CheckedCall, number])[] = [
  [newestRows, 6],
  [totals, 3],
  [chart, 1],
  [polled, 2],
  [apiCounts, 2],
  [invocationStats, 2],
  [cachedTotals, 4],
  [redacted, 2],
  [pages, 2],
  [wall, 1],
  [leaving, 1],
  [operating, 1],
];

const sumOf = (rows: readonly Row[], column: string): number => rows.reduce((sum, row) => sum + Number(row[column]), 0);

const smaller = (a: Totals, b: Totals): Totals => (a.events <= b.events ? a : b);
