import { Agent, request } from 'node:http';
import { type BareEngine, endpointIdOf } from './bareEngine.ts';
import type { BenchedQuery } from './benchedQueries.ts';
import { token } from './benchedService.ts';
import { median, percentile } from './percentile.ts';

const agent = new Agent({ keepAlive: true });
const warmRounds = 3;
const rounds = 21;

export interface QueryResult {
  readonly title: string;
  readonly isNewest: boolean;
  readonly bytes: number;
  readonly bareMs: number;
  readonly httpMs: number;
  readonly httpP99Ms: number;
}

/** Makes a call over HTTP, without the cache, and reads the whole answer; resolves with its bytes. */
export function call(url: string, { definition, parameters }: BenchedQuery): Promise<number> {
  const path = `/api/endpoints/query/${endpointIdOf(definition)}?${new URLSearchParams(parameters)}`;
  return new Promise((resolve, reject) => {
    const headers = { 'x-api-key': token, 'cache-control': 'no-cache' };
    const sent = request(`${url}${path}`, { agent, headers }, (response) => {
      let bytes = 0;
      const first: Buffer[] = [];
      response.on('data', (part: Buffer) => {
        if (response.statusCode !== 200) first.push(part);
        bytes += part.length;
      });
      response.once('end', () => {
        if (response.statusCode === 200) resolve(bytes);
        else reject(new Error(`${path} was answered with ${response.statusCode}: ${Buffer.concat(first).toString()}`));
      });
    });
    sent.once('error', reject);
    sent.end();
  });
}

/** Measures call and bare statement in turn, so that other load on the machine affects both equally. */
export async function measureQuery(url: string, bare: BareEngine, query: BenchedQuery): Promise<QueryResult> {
  const statements = await bare.statementsOf(query);
  const bareMs: number[] = [];
  const httpMs: number[] = [];
  let bytes = 0;
  for (let round = -warmRounds; round < rounds; round++) {
    const bareTime = await bare.time(statements);
    const startedMs = performance.now();
    bytes = await call(url, query);
    const httpTime = performance.now() - startedMs;
    if (round < 0) continue;
    bareMs.push(bareTime);
    httpMs.push(httpTime);
  }
  return {
    title: query.title,
    isNewest: query.isNewest,
    bytes,
    bareMs: median(bareMs),
    httpMs: median(httpMs),
    httpP99Ms: percentile(httpMs, 0.99),
  };
}

export interface ParallelResult {
  readonly clients: number;
  readonly callsPerSecond: number;
  readonly p99Ms: number;
}

/** Makes the calls in turn, from a number of clients at a time, for a while. */
export async function measureParallel(
  url: string,
  queries: readonly BenchedQuery[],
  clients: number,
  seconds: number,
): Promise<ParallelResult> {
  const times: number[] = [];
  const startedMs = performance.now();
  const endsMs = startedMs + seconds * 1000;
  let next = 0;
  const client = async () => {
    while (performance.now() < endsMs) {
      const query = queries[next++ % queries.length];
      if (query === undefined) return;
      const sentMs = performance.now();
      await call(url, query);
      times.push(performance.now() - sentMs);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return {
    clients,
    callsPerSecond: times.length / ((performance.now() - startedMs) / 1000),
    p99Ms: percentile(times, 0.99),
  };
}
