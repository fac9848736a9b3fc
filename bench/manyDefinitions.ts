import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemRandomness } from '../src/core/ids.ts';
import { EndpointDirectory } from '../src/endpoints/endpointDirectory.ts';
import { SqlEndpointStore } from '../src/stores/sql/sqlEndpointStore.ts';
import { SqlTokenStore } from '../src/stores/sql/sqlTokenStore.ts';
import { openDatabase } from '../src/stores/sqlite/database.ts';
import { Authenticator } from '../src/tokens/authenticator.ts';
import { createToken } from '../src/tokens/createToken.ts';
import { BenchedService, token } from './benchedService.ts';
import { median, percentile, rounded } from './percentile.ts';
import { say } from './say.ts';

/**
 * Measures the cost of many endpoints and tokens: start, look-ups in the stores of a running service, pages of lists,
 * and calls by name over HTTP, next to the same with only the shipped endpoints.
 */
const { values: options } = parseArgs({ options: { count: { type: 'string', default: '10000' } } });

const count = Number(options.count);
const perStep = 500;
const lookUps = 2000;
const starts = 3;
const requests = 200;

const folder = mkdtempSync(join(tmpdir(), 'logmill-many-bench-'));
const dataDir = join(folder, 'data');

try {
  await run();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run(): Promise<void> {
  await (await BenchedService.start(dataDir)).stop();
  const few = await overHttp('usage.api-counts');
  say(`storing ${count} endpoints and ${count} tokens`);
  const found = await fillAndLookUp();
  const many = await overHttp('team-7.many-7');
  const row = (what: string, value: string) => console.log(`${what.padEnd(52)} ${value}`);
  row('look-up of an endpoint by name, first / held', `${us(found.endpointFirst)} / ${us(found.endpointHeld)}`);
  row('look-up of a token, first / held', `${us(found.tokenFirst)} / ${us(found.tokenHeld)}`);
  for (const [title, pick] of [
    ['start to ready', (measured: OverHttp) => measured.startMs],
    ['page of 100 endpoints', (measured: OverHttp) => measured.endpointsMs],
    ['page of 100 tokens', (measured: OverHttp) => measured.tokensMs],
    ['call by name', (measured: OverHttp) => measured.callMs],
  ] as const) {
    row(`${title}, few / many`, `${ms(pick(few))} / ${ms(pick(many))}  (${rounded(pick(many) / pick(few))}×)`);
  }
}

interface OverHttp {
  readonly startMs: number;
  readonly endpointsMs: number;
  readonly tokensMs: number;
  readonly callMs: number;
}

/** Medians in milliseconds. */
async function overHttp(name: string): Promise<OverHttp> {
  const startMs: number[] = [];
  for (let n = 1; n < starts; n++) {
    const service = await BenchedService.start(dataDir);
    startMs.push(service.startMs);
    await service.stop();
  }
  const service = await BenchedService.start(dataDir);
  try {
    startMs.push(service.startMs);
    const get = async (path: string) => {
      const times: number[] = [];
      for (let n = 0; n < requests; n++) {
        const startedMs = performance.now();
        const response = await fetch(`${service.url}${path}`, { headers: { 'x-api-key': token } });
        const text = await response.text();
        times.push(performance.now() - startedMs);
        if (response.status !== 200) throw new Error(`${path} was answered with ${response.status}: ${text}`);
      }
      return median(times);
    };
    return {
      startMs: median(startMs),
      endpointsMs: await get('/api/endpoints?limit=100'),
      tokensMs: await get('/api/tokens?limit=100'),
      callMs: await get(`/api/endpoints/query/${name}?project=nobody&interval=hourly`),
    };
  } finally {
    await service.stop();
  }
}

/** Microseconds of the first look-up of some, and of a second one of the same. */
async function fillAndLookUp() {
  const database = await openDatabase(dataDir);
  try {
    const endpoints = new SqlEndpointStore(database);
    const tokens = new SqlTokenStore(database);
    const nowMicros = Date.now() * 1000;
    const shipped = await endpoints.findPrimary('usage.api-counts');
    if (shipped === undefined) throw new Error('the shipped endpoint is missing');
    const names = Array.from({ length: count }, (_, n) => `team-${n % 9}.many-${n}`);
    for (let from = 0; from < count; from += perStep) {
      const definitions = names.slice(from, from + perStep).map((name) => ({ ...shipped, id: randomUUID(), name }));
      await endpoints.apply(
        definitions.map((definition) => ({ kind: 'create', definition })),
        { nowMicros, author: null, note: '' },
      );
    }
    const texts: string[] = [];
    for (let n = 0; n < count; n++) {
      const request = { description: `token ${n}`, scopes: [{ kind: 'query' as const }] };
      texts.push((await createToken(tokens, request, systemRandomness, nowMicros)).text);
    }
    const directory = new EndpointDirectory(endpoints);
    const authenticator = new Authenticator(tokens);
    await directory.findByName('usage.api-counts', nowMicros);
    const endpoint = (n: number) => directory.findByName(some(names, n), nowMicros);
    const owner = (n: number) => authenticator.authenticate(some(texts, n), nowMicros);
    return {
      endpointFirst: await timesOf(endpoint),
      endpointHeld: await timesOf(endpoint),
      tokenFirst: await timesOf(owner),
      tokenHeld: await timesOf(owner),
    };
  } finally {
    await database.destroy();
  }
}

function some(texts: readonly string[], n: number): string {
  return texts[(n * 7919) % texts.length] ?? '';
}

async function timesOf(lookUp: (n: number) => Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let n = 0; n < lookUps; n++) {
    const startedMs = performance.now();
    if ((await lookUp(n)) === undefined) throw new Error(`look-up ${n} found nothing`);
    times.push((performance.now() - startedMs) * 1000);
  }
  return times;
}

function us(times: readonly number[]): string {
  return `${rounded(median(times))} µs (p99 ${rounded(percentile(times, 0.99))})`;
}

function ms(value: number): string {
  return `${rounded(value)} ms`;
}
