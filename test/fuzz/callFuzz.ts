import { SeededRandom } from '../../src/demo/seededRandom.ts';
import { checkAnswer, describeSent, isOtherFormat } from './checkAnswer.ts';
import { FuzzLog, type FuzzReport, type FuzzRun } from './finding.ts';
import { FuzzedService, type Sent } from './fuzzedService.ts';
import { eventText } from './ingestBody.ts';

const requestsAtOnce = 4;

const targets: readonly [string, ...string[]] = [
  'logs.all',
  'd9a2e433-3286-44d9-a3b2-96b88c809d76',
  '6827ba9b-37ca-425d-8cde-4f10a8dd70f3',
  'functions.invocation-stats',
  '77eeb93b-4d5e-467a-96f7-53c59097216c',
  'usage.api-counts',
  '237F3997-C471-488D-AF16-2DC9A4CDA4A0',
];
const names: readonly [string, ...string[]] = [
  'project',
  'iso_timestamp_start',
  'iso_timestamp_end',
  'project_tier',
  'interval',
  'function_id',
  'fill',
  'sql',
  'lql',
  'format',
  'version',
  'dry_run',
  'ref',
  'Project',
  '',
  '__proto__',
];
const valuesOf: readonly [string, ...string[]] = [
  '',
  'fuzz',
  '.',
  '.*',
  '(',
  '(a+)+$',
  '[[:alpha:]]',
  '\\Q',
  '(?i)x{1000}',
  '(((((x{10}){10}){10}){10}){10})',
  '5min',
  '15min',
  '1hr',
  '1day',
  '7day',
  'hourly',
  'daily',
  'minutely',
  'weekly',
  'zero',
  'none',
  'FREE',
  'ENTERPRISE',
  'free',
  '2026-05-01T10:00:00Z',
  '2026-05-01 10:00:00 02:00',
  '2026-05-01T10:00:00.123456789+05:30',
  '2026-05-01',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999Z',
  '10000-01-01',
  '2026-13-01',
  '1780000000000000',
  "' or 1=1 --",
  '\u0000',
  '\ud800',
  'é😀',
  'select 1',
  'select * from edge_logs',
  'select * from agg',
  'select * from chart_counts, dates',
  'select count(*) from edge_logs cross join unnest(metadata)',
  'select @project, @interval',
  'f:edge_logs x',
  'f:agg c:count(*)',
  'true',
  'x'.repeat(4096),
  'x'.repeat(4097),
];

/** Parameters, methods, headers and bodies of every kind on the four endpoints: documented answers only. */
export async function fuzzCalls({ seed, isOver, found }: FuzzRun): Promise<FuzzReport> {
  const random = new SeededRandom(`calls/${seed}`);
  const log = new FuzzLog(found);
  const service = await FuzzedService.start();
  let inputs = 0;
  try {
    await fill(service, random);
    while (!isOver() && service.isAlive) {
      const batch = Array.from({ length: requestsAtOnce }, () => makeRequest(random));
      inputs += batch.length;
      await Promise.all(batch.map((sent) => send(service, sent, log)));
    }
    if (!service.isAlive) log.add({ rule: 'the service stays up', input: '', detail: service.log.slice(-2000) });
  } finally {
    await service.stop();
    await service.removeData();
  }
  return { name: 'calls', inputs, counts: log.counts, findings: log.findings };
}

/** Some events to be found, strange ones among them. */
async function fill(service: FuzzedService, random: SeededRandom): Promise<void> {
  for (const source of ['edge_logs', 'function_edge_logs', 'auth_logs']) {
    const body = Buffer.from(`[${Array.from({ length: 200 }, () => eventText(random)).join(',')}]`);
    await service.send({
      method: 'POST',
      path: `/api/logs?source=${source}`,
      headers: { 'content-type': 'application/json' },
      body,
    });
  }
}

function encode(random: SeededRandom, text: string): string {
  const encoded = Buffer.from(text, 'utf8').reduce((all, byte) => {
    const isPlain = /[A-Za-z0-9._~-]/.test(String.fromCharCode(byte)) && !random.chance(0.02);
    return `${all}${isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`}`;
  }, '');
  if (!random.chance(0.03)) return encoded;
  return `${encoded}${random.pick(['%', '%f', '%zz', '%ff', '%00', '+', '=', '[]', ';'])}`;
}

function makeRequest(random: SeededRandom): Sent {
  const target = random.chance(0.95)
    ? random.pick(targets)
    : random.pick(['x', '', '%00', '..', 'logs.all%2f', 'LOGS.ALL']);
  const pairs: (readonly [string, string])[] = [];
  if (random.chance(0.85)) pairs.push(['project', random.chance(0.7) ? 'fuzz' : random.pick(valuesOf)]);
  if (random.chance(0.5)) pairs.push(['interval', random.pick(valuesOf)]);
  for (let n = random.integer(0, 3); n > 0; n--) pairs.push([random.pick(names), random.pick(valuesOf)]);
  const isPost = random.chance(0.3);
  const isJson = random.chance(0.5);
  const inUrl = isPost ? pairs.slice(0, random.integer(0, 1)) : pairs;
  const inBody = isPost ? pairs.slice(inUrl.length) : [];
  const query = inUrl.map(([name, value]) => `${encode(random, name)}=${encode(random, value)}`).join('&');
  const body = isJson
    ? random.chance(0.9)
      ? JSON.stringify(Object.fromEntries(inBody))
      : eventText(random)
    : inBody.map(([name, value]) => `${encode(random, name)}=${encode(random, value)}`).join('&');
  return {
    method: isPost ? 'POST' : random.pick(['GET', 'GET', 'GET', 'GET', 'HEAD', 'PUT', 'DELETE']),
    path: `/api/endpoints/query/${target}${query === '' ? '' : `?${query}`}`,
    headers: {
      ...(isPost ? { 'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded' } : {}),
      ...(random.chance(0.2) ? { 'svc-endpoint-values': random.pick(['plain', 'records', 'Plain', 'x', '']) } : {}),
      ...(random.chance(0.05) ? { 'svc-endpoint-redact-pii': random.pick(['true', 'TRUE', 'false', 'x']) } : {}),
      ...(random.chance(0.1) ? { accept: random.pick(['*/*', 'application/json', 'text/csv', 'x', '']) } : {}),
    },
    body: Buffer.from(isPost ? body : ''),
  };
}

async function send(service: FuzzedService, sent: Sent, log: FuzzLog): Promise<void> {
  try {
    const answer = await service.send(sent);
    const body = checkAnswer(sent, answer, log) as { readonly result?: unknown; readonly meta?: unknown } | null;
    if (answer.status !== 200 || sent.method === 'HEAD' || isOtherFormat(answer)) return;
    if (!Array.isArray(body?.result) || typeof body.meta !== 'object') {
      log.add({ rule: 'a success has rows and meta', input: describeSent(sent), detail: answer.body.slice(0, 500) });
    }
  } catch (error) {
    log.add({ rule: 'every request is answered', input: describeSent(sent), detail: String(error) });
  }
}
