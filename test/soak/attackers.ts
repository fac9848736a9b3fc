import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { SeededRandom } from '../../src/demo/seededRandom.ts';
import type { SoakRun } from './soakRun.ts';

/** The project of the hostile tokens. */
export const hostileProject = 'soakhostile';

const sixteenMebibytes = 16 * 1024 * 1024 - 4096;
const pauseMs = 1_500;
const unreadMs = 3_000;
const leavesMs = 300;

type Attack = (run: SoakRun, random: SeededRandom) => Promise<unknown>;

/**
 * Answers that attackers may get: never an internal error, and no 5xx except those documented for overload or an ended
 * engine.
 */
const told = [
  '200',
  '202',
  '204',
  '207',
  '400 *',
  '403 *',
  '404 *',
  '409 *',
  '413 *',
  '415 *',
  '422 *',
  '429 *',
  '431 *',
  '502 engine.failed',
  '503 engine.restarting',
  '503 ingest.overloaded',
  '503 query.overloaded',
  '504 query.memory',
  '504 query.timeout',
  'lost',
] as const;

function query(sql: string, headers: Readonly<Record<string, string>> = {}, leaves = false): Attack {
  return async (run) => {
    const path = `/api/endpoints/query/logs.all?${new URLSearchParams({ project: hostileProject, sql })}`;
    const signal = leaves ? { signal: AbortSignal.timeout(leavesMs) } : {};
    await run.attack(path, { headers: { 'x-api-key': run.tokens.hostile, ...headers }, ...signal }, told);
  };
}

const redacted = { 'svc-endpoint-redact-pii': 'true' };

function events(
  contentType: string,
  body: () => Uint8Array | string,
  more: Readonly<Record<string, string>> = {},
): Attack {
  return async (run) => {
    const headers = { 'x-api-key': run.tokens.hostile, 'content-type': contentType, ...more };
    const path = contentType.includes('protobuf') ? '/v1/logs?source=edge_logs' : '/api/logs?source=edge_logs';
    await run.attack(path, { method: 'POST', headers, body: body() }, told);
  };
}

/** Asks for a large answer and reads none of it. */
const unread: Attack = async (run) => {
  const { hostname, port } = new URL(await run.service.address);
  const sql = 'select repeat(event_message, 4) as m from edge_logs limit 100';
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.pause();
  const path = `/api/endpoints/query/logs.all?${new URLSearchParams({ project: hostileProject, sql })}`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: soak\r\nX-API-KEY: ${run.tokens.hostile}\r\n\r\n`);
  await delay(unreadMs);
  socket.destroy();
};

const deployment: Attack = async (run) => {
  const definitions = Array.from({ length: 900 }, (_, n) => ({
    name: `hostile.endpoint-${n}`,
    query: `select ${n} as n`,
    parameters: {},
  }));
  const headers = { 'x-api-key': run.tokens.hostileManager, 'content-type': 'application/json' };
  const body = JSON.stringify({ definitions });
  await run.attack('/api/endpoints/deploy?dry_run=true', { method: 'POST', headers, body }, told);
};

const unknownName: Attack = async (run, random) => {
  const path = `/api/endpoints/query/soak.${'endpiont'.repeat(8)}${random.integer(0, 999)}`;
  await run.attack(path, { headers: { 'x-api-key': run.tokens.hostile } }, told);
};

const long = () => `hostile/${'jane.doe@example.com 203.0.113.7 '.repeat(27_000)}`;

/** Attacks by name. Each has once ended the service or delayed all other calls. */
export const attacks: Readonly<Record<string, Attack>> = {
  'a heavy pattern': query("select regexp_instr(repeat('a', 1000000), '(?:[ab]?[ac]?[ad]?){300}[^a]') as x"),
  'a pattern within its bounds': query("select regexp_instr(repeat('a', 50000), '(?:[ab]?[ac]?[ad]?){300}[^a]') as x"),
  'combining marks': query("select length(normalize(repeat('\u0345\u0334', 400000), NFKD)) as n"),
  'combining marks, composed': query("select length(normalize(repeat('\u0345\u0334', 400000))) as n"),
  'long texts, redacted': query("select count(*) as n from edge_logs where event_message like '%x%'", redacted),
  'stored rows of long texts, redacted': async (run) => {
    const path = `/api/endpoints/query/logs.all?project=${hostileProject}`;
    await run.attack(path, { headers: { 'x-api-key': run.tokens.hostile, ...redacted } }, told);
  },
  'what does not stop': query("select edit_distance(repeat('ab', 200000), repeat('ba', 200000)) as n", {}, true),
  growth: query(
    "select length(string_agg(repeat(event_message, 4), '')) as n from edge_logs, unnest(generate_array(1, 10000))",
  ),
  'a cross product': query(
    'select count(*) as n from unnest(generate_array(1, 100000)) a cross join unnest(generate_array(1, 100000)) b where mod(a * b, 7) = 3',
  ),
  'a reader that reads nothing': unread,
  'blank lines, gzipped': events('application/x-ndjson', () => gzipSync('\n'.repeat(sixteenMebibytes)), {
    'content-encoding': 'gzip',
  }),
  'unknown fields of OTLP': events('application/x-protobuf', () =>
    Buffer.alloc(sixteenMebibytes, Buffer.from([15 << 3, 1])),
  ),
  'an event of 16 MiB': events('application/json', () =>
    JSON.stringify([{ project: hostileProject, event_message: `hostile/${'x'.repeat(sixteenMebibytes - 200)}` }]),
  ),
  'events of 0.9 MB': events('application/json', () =>
    JSON.stringify([{ project: hostileProject, event_message: long() }]),
  ),
  'an unknown endpoint': unknownName,
  'a large deployment': deployment,
};

/** Attacks without a pause, one attack after another, with its own tokens. */
export async function attack(run: SoakRun, attacker: number, seed: string, isOver: () => boolean): Promise<void> {
  const random = new SeededRandom(`${seed} attacker ${attacker}`);
  while (!isOver()) {
    const [name, begin] = Object.entries(attacks)[random.integer(0, Object.keys(attacks).length - 1)] ?? ['', unread];
    await run.under(name, async () => await begin(run, random));
    await delay(pauseMs * (0.5 + random.next()));
  }
}
