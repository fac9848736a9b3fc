import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { BenchedService, token } from './benchedService.ts';
import { percentile, rounded } from './percentile.ts';

// How long the rows of tails take after the acknowledgement of their events, and what tails cost those who send events. Each tail
// has a filter of its own, which a hundredth of the events meet. Needs "npm run build".

const { values: given } = parseArgs({
  options: {
    tails: { type: 'string', default: '500' },
    /** Different filters; the others are equal to these. */
    filters: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '15' },
    /** Events per second; 0 for as many as possible. */
    rate: { type: 'string', default: '2000' },
    /** Phases with and as many without tails. */
    rounds: { type: 'string', default: '1' },
  },
});
const [tails, filters, seconds, rate, rounds] = (['tails', 'filters', 'seconds', 'rate', 'rounds'] as const).map(
  (name) => Number(given[name]),
) as [number, number, number, number, number];

const tailsOfToken = 10;
const batchEvents = 50;
const senders = 4;

interface Tail {
  /** Milliseconds from the acknowledgement of its event, for each row. */
  readonly delays: number[];
  leave(): void;
}

/** By number of a batch, when it was acknowledged. */
const acknowledged = new Map<string, number>();
let batches = 0;

function post(agent: Agent, url: string, path: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = {
      'x-api-key': token,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const sent = request(`${url}${path}`, { method: 'POST', agent, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      answer.on('end', () =>
        answer.statusCode === 200 || answer.statusCode === 201 ? resolve(text) : reject(new Error(text)),
      );
    });
    sent.on('error', reject).end(body);
  });
}

async function tokens(agent: Agent, url: string, count: number): Promise<readonly string[]> {
  const made: string[] = [];
  for (let i = 0; i < count; i++) {
    const answer = JSON.parse(
      await post(agent, url, '/api/tokens', JSON.stringify({ description: `tail ${i}`, scopes: ['query'] })),
    );
    made.push(answer.token);
  }
  return made;
}

function openTail(url: string, by: string, filter: number): Promise<Tail> {
  const sql = `select id, timestamp, event_message from edge_logs where event_message like '%tag-${filter % 100}-%' and id != 'not ${filter}'`;
  const query = new URLSearchParams({ project: 'bench', sql, format: 'ndjson' });
  return new Promise((resolve, reject) => {
    const delays: number[] = [];
    const sent = request(
      `${url}/api/endpoints/tail/logs.all?${query}`,
      { agent: false, headers: { 'x-api-key': by } },
      (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`a tail did not begin: ${answer.statusCode}`));
        answer.setEncoding('utf8').on('data', (text: string) => {
          const nowMs = performance.now();
          if (text.includes('{"event":"end"')) throw new Error(text);
          for (const [, batch = ''] of text.matchAll(/batch-(\d+)-/g))
            delays.push(nowMs - (acknowledged.get(batch) ?? nowMs));
          resolve({ delays, leave: () => sent.destroy() });
        });
      },
    );
    sent.on('error', reject).end();
  });
}

/** Sends events for some seconds. Returns the times of acknowledgement, and events per second. */
async function send(
  agent: Agent,
  url: string,
): Promise<{ readonly times: readonly number[]; readonly perSecond: number }> {
  const times: number[] = [];
  const startedMs = performance.now();
  const endMs = startedMs + seconds * 1000;
  let sent = 0;
  const sender = async () => {
    for (;;) {
      const dueMs = rate === 0 ? 0 : startedMs + (sent * 1000) / rate;
      sent += batchEvents;
      if (dueMs > performance.now()) await delay(dueMs - performance.now());
      if (performance.now() >= endMs) return;
      const batch = `${batches++}`;
      const timestamp = new Date().toISOString();
      const events = Array.from({ length: batchEvents }, (_, i) => ({
        timestamp,
        project: 'bench',
        event_message: `batch-${batch}- tag-${(Number(batch) * batchEvents + i) % 100}- GET /rest/v1/things?select=* 200`,
        metadata: { request: { method: 'GET', path: '/rest/v1/things' }, response: { status_code: 200 } },
      }));
      const fromMs = performance.now();
      await post(agent, url, '/api/logs?source=edge_logs', JSON.stringify(events));
      acknowledged.set(batch, performance.now());
      times.push(performance.now() - fromMs);
    }
  };
  await Promise.all(Array.from({ length: rate === 0 ? senders : senders * 4 }, sender));
  return { times, perSecond: (times.length * batchEvents * 1000) / (performance.now() - startedMs) };
}

const folder = mkdtempSync(join(tmpdir(), 'logmill-tails-'));
const service = await BenchedService.start(folder);
const agent = new Agent({ keepAlive: true });
try {
  const { url } = service;
  const by = await tokens(agent, url, Math.ceil(tails / tailsOfToken));
  for (let round = 0; round < rounds; round++) {
    const without = await send(agent, url);
    const opened: Tail[] = [];
    for (let i = 0; i < tails; i++)
      opened.push(await openTail(url, by[Math.floor(i / tailsOfToken)] ?? '', i % filters));
    const idleMiB = service.residentMiB();
    const during = send(agent, url);
    await delay(seconds * 500);
    const busyMiB = service.residentMiB();
    const withTails = await during;
    await delay(2000);
    const delays = opened.flatMap((each) => each.delays);
    const expected = Math.round((withTails.times.length * batchEvents * tails) / 100);
    const shown = (share: number) => rounded(percentile(delays, share));
    console.log(
      JSON.stringify({
        ...{ tails, filters, rows: delays.length, expected },
        delayMs: { p50: shown(0.5), p95: shown(0.95), p99: shown(0.99) },
        eventsPerSecond: { without: Math.round(without.perSecond), with: Math.round(withTails.perSecond) },
        acknowledgeMsP50: {
          without: rounded(percentile(without.times, 0.5)),
          with: rounded(percentile(withTails.times, 0.5)),
        },
        residentMiB: { idle: idleMiB, busy: busyMiB },
      }),
    );
    for (const each of opened) each.leave();
    await delay(500);
  }
} finally {
  agent.destroy();
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}
