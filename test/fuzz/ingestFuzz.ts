import { SeededRandom } from '../../src/demo/seededRandom.ts';
import { builtinSources } from '../../src/sources/builtin.ts';
import { checkAnswer, describeSent } from './checkAnswer.ts';
import { FuzzLog, type FuzzReport, type FuzzRun } from './finding.ts';
import { FuzzedService, type Sent } from './fuzzedService.ts';
import { ingestBody } from './ingestBody.ts';
import { storedCounts } from './storedCounts.ts';

const sources = builtinSources.map(({ name }) => name) as [string, ...string[]];
const requestsAtOnce = 4;

/** Bodies of every form, sound and damaged: documented answers only, and exactly what was accepted is stored. */
export async function fuzzIngest({ seed, isOver, found }: FuzzRun): Promise<FuzzReport> {
  const random = new SeededRandom(`ingest/${seed}`);
  const log = new FuzzLog(found);
  const service = await FuzzedService.start();
  const accepted = new Map<string, number>(sources.map((name) => [name, 0]));
  let inputs = 0;
  try {
    while (!isOver() && service.isAlive) {
      const batch = Array.from({ length: requestsAtOnce }, () => makeRequest(random, inputs++));
      await Promise.all(batch.map((request) => send(service, request, accepted, log)));
    }
    await readBack(service, log);
    if (!service.isAlive) log.add({ rule: 'the service stays up', input: '', detail: service.log.slice(-2000) });
  } finally {
    await service.stop();
  }
  const stored = await storedCounts(service.dataDir);
  await service.removeData();
  for (const [source, count] of accepted) {
    if (stored.get(source) === count) continue;
    log.add({
      rule: 'what was accepted is stored, and nothing else',
      input: source,
      detail: `${stored.get(source)} stored, ${count} accepted`,
    });
  }
  return { name: 'ingest', inputs, counts: log.counts, findings: log.findings };
}

function makeRequest(random: SeededRandom, number: number): { readonly sent: Sent; readonly source: string | null } {
  const { body, contentType, contentEncoding } = ingestBody(random);
  const isNamed = random.chance(0.92);
  const source = isNamed ? random.pick(sources) : random.pick(['edge', '', 'EDGE_LOGS', 'sources.edge_logs', 'é']);
  const strict = random.chance(0.2) ? `&strict=${random.pick(['true', 'false', 'maybe', ''])}` : '';
  const path = random.pick(['/api/logs', '/logs', '/api/events']);
  return {
    source: isNamed ? source : null,
    sent: {
      method: 'POST',
      path: `${path}?${random.chance(0.5) ? 'source' : 'source_name'}=${encodeURIComponent(source)}${strict}`,
      headers: {
        // A key of its own for each, so that no body is taken for a retry of an equal one.
        'idempotency-key': `fuzz-${number}`,
        ...(contentType === null ? {} : { 'content-type': contentType }),
        ...(contentEncoding === null ? {} : { 'content-encoding': contentEncoding }),
      },
      body,
    },
  };
}

async function send(
  service: FuzzedService,
  { sent, source }: { readonly sent: Sent; readonly source: string | null },
  accepted: Map<string, number>,
  log: FuzzLog,
): Promise<void> {
  try {
    const answer = await service.send(sent);
    const body = checkAnswer(sent, answer, log) as { readonly accepted?: number; readonly rejected?: unknown[] } | null;
    if (answer.status !== 200) return;
    if (typeof body?.accepted !== 'number' || !Array.isArray(body.rejected)) {
      log.add({ rule: 'an acknowledgement says what was taken', input: describeSent(sent), detail: answer.body });
      return;
    }
    // A source may also have come with the body alone.
    const name = source ?? 'auth_logs';
    accepted.set(name, (accepted.get(name) ?? 0) + body.accepted);
  } catch (error) {
    log.add({ rule: 'every request is answered', input: describeSent(sent), detail: String(error) });
  }
}

/** What was stored can be read again, in both profiles. */
async function readBack(service: FuzzedService, log: FuzzLog): Promise<void> {
  for (const source of sources) {
    for (const values of ['plain', 'records']) {
      const query = new URLSearchParams({
        project: 'fuzz',
        sql: `select * from ${source} order by timestamp limit 1000`,
      });
      const sent = {
        method: 'GET',
        path: `/api/endpoints/query/logs.all?${query}`,
        headers: { 'svc-endpoint-values': values },
        body: Buffer.alloc(0),
      };
      const answer = await service.send(sent);
      checkAnswer(sent, answer, log);
      if (answer.status !== 200) {
        log.add({ rule: 'what was stored can be read', input: describeSent(sent), detail: answer.body.slice(0, 500) });
      }
    }
  }
}
