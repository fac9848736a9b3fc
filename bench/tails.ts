import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { BenchedService, token } from './benchedService.ts';
import { percentile, rounded } from './percentile.ts';
import { memoryBytes } from './processTree.ts';

/**
 * How long the rows of tails take after the acknowledgement of their events, and what tails cost those who send events. Each tail
 * has a token and a filter of its own, which a hundredth of all events meet.
 */
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
    /**
     * With 1, tokens may read every project. With more, each may read one of so many, and tokens for the same project share
     * places, so that fewer than 500 tails can be open. Must divide 100.
     */
    projects: { type: 'string', default: '1' },
    profile: { type: 'string' },
  },
});
const [tails, filters, seconds, rate, rounds, projects] = (
  ['tails', 'filters', 'seconds', 'rate', 'rounds', 'projects'] as const
).map((name) => Number(given[name])) as [number, number, number, number, number, number];

const batchEvents = 50;
const senders = 4;
/** An event has one of so many pairs of project and tag. */
const kinds = 100;
const projectOf = (kind: number): string => `bench-${kind % projects}`;

interface Tail {
  /** Milliseconds from the acknowledgement of its event, for each row. */
  readonly delays: number[];
  leave(): void;
}

/** The first failure of a tail after it began. */
let failure: Error | null = null;

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

/** Makes a token for a tail of events of this kind. */
async function tokenFor(agent: Agent, url: string, kind: number): Promise<string> {
  const restrictions = projects === 1 ? {} : { projects: [projectOf(kind)] };
  const asked = { description: `tail of kind ${kind}`, scopes: ['query'], restrictions };
  return JSON.parse(await post(agent, url, '/api/tokens', JSON.stringify(asked))).token;
}

function openTail(url: string, by: string, filter: number): Promise<Tail> {
  const kind = filter % kinds;
  const sql = `select id, timestamp, event_message from edge_logs where event_message like '%tag-${kind}-%' and id != 'not ${filter}'`;
  const query = new URLSearchParams({ project: projectOf(kind), sql, format: 'ndjson' });
  return new Promise((resolve, reject) => {
    const delays: number[] = [];
    const fail = (error: Error) => {
      failure ??= error;
      reject(error);
    };
    const sent = request(
      `${url}/api/endpoints/tail/logs.all?${query}`,
      { agent: false, headers: { 'x-api-key': by } },
      (answer) => {
        let rest = '';
        answer.setEncoding('utf8').on('data', (text: string) => {
          const nowMs = performance.now();
          const lines = (rest + text).split('\n');
          rest = lines.pop() ?? '';
          if (answer.statusCode !== 200) return;
          for (const line of lines) {
            const batch = /batch-(\d+)-/.exec(line)?.[1];
            if (batch !== undefined) delays.push(nowMs - (acknowledged.get(batch) ?? nowMs));
            else if (line.startsWith('{"event":"end"')) fail(new Error(`the service ended a tail: ${line}`));
            else resolve({ delays, leave: () => sent.destroy() });
          }
        });
        answer.on('end', () => {
          if (answer.statusCode !== 200) fail(new Error(`a tail was answered with ${answer.statusCode}: ${rest}`));
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
        project: projectOf((Number(batch) * batchEvents + i) % kinds),
        event_message: `batch-${batch}- tag-${(Number(batch) * batchEvents + i) % kinds}- GET /rest/v1/things?select=* 200`,
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
const flags = given.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${given.profile}`];
const service = await BenchedService.start(folder, {}, flags);
const agent = new Agent({ keepAlive: true });
const memoryMb = () => Math.round(memoryBytes(service.pid ?? process.pid) / 1e6);
try {
  const { url } = service;
  const by: string[] = [];
  for (let i = 0; i < tails; i++) by.push(await tokenFor(agent, url, (i % filters) % kinds));
  for (let round = 0; round < rounds; round++) {
    const without = await send(agent, url);
    const opened: Tail[] = [];
    for (const [i, each] of by.entries()) opened.push(await openTail(url, each, i % filters));
    const idleMb = memoryMb();
    const beforeMs = service.processorMs();
    const during = send(agent, url);
    await delay(seconds * 500);
    const busyMb = memoryMb();
    const withTails = await during;
    const processorShare = (service.processorMs() - beforeMs) / (seconds * 1000);
    await delay(2000);
    if (failure !== null) throw failure;
    const delays = opened.flatMap((each) => each.delays);
    const expected = Math.round((withTails.times.length * batchEvents * tails) / kinds);
    const shown = (share: number) => rounded(percentile(delays, share));
    console.log(
      JSON.stringify({
        ...{ tails, filters, projects, rows: delays.length, expected },
        delayMs: { p50: shown(0.5), p95: shown(0.95), p99: shown(0.99) },
        eventsPerSecond: { without: Math.round(without.perSecond), with: Math.round(withTails.perSecond) },
        acknowledgeMsP50: {
          without: rounded(percentile(without.times, 0.5)),
          with: rounded(percentile(withTails.times, 0.5)),
        },
        memoryMb: { idle: idleMb, busy: busyMb },
        processorShare: rounded(processorShare),
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
