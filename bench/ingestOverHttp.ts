import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { token } from './benchedService.ts';
import type { BatchPlace, EventFile } from './eventFile.ts';
import { percentile } from './percentile.ts';

const clientsMeant = 4;

export interface IngestResult {
  readonly eventsPerSecond: number;
  readonly acknowledgeMsMedian: number;
  readonly acknowledgeMsP99: number;
  readonly acknowledgeMsMax: number;
  /** Requests that were rejected because too many batches were waiting, and sent again. */
  readonly refused: number;
  /** Acknowledgement time of each batch. */
  readonly acknowledgeMs: readonly number[];
}

/**
 * Sends batches, each in one request, from several clients at a time; together at most `eventsPerSecond`, if given. An
 * acknowledgement time starts when the batch was due.
 */
export async function ingestOverHttp(
  url: string,
  file: EventFile,
  batches: readonly BatchPlace[],
  eventsPerSecond = Number.POSITIVE_INFINITY,
  clients = clientsMeant,
): Promise<IngestResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients * 4 });
  const times: number[] = [];
  let next = 0;
  let dueEvents = 0;
  let refused = 0;
  const startedMs = performance.now();
  const send = async () => {
    for (;;) {
      const batch = batches[next++];
      if (batch === undefined) return;
      const dueMs = startedMs + (dueEvents / eventsPerSecond) * 1000;
      dueEvents += batch.events;
      if (dueMs > performance.now()) await delay(dueMs - performance.now());
      const body = file.read(batch);
      const sentMs = Number.isFinite(eventsPerSecond) ? dueMs : performance.now();
      while (!(await post(agent, `${url}/api/logs?source=${batch.source}`, body))) {
        refused++;
        await delay(200);
      }
      times.push(performance.now() - sentMs);
    }
  };
  await Promise.all(Array.from({ length: Number.isFinite(eventsPerSecond) ? clients * 4 : clients }, send));
  const seconds = (performance.now() - startedMs) / 1000;
  agent.destroy();
  return {
    eventsPerSecond: batches.reduce((sum, { events }) => sum + events, 0) / seconds,
    acknowledgeMsMedian: percentile(times, 0.5),
    acknowledgeMsP99: percentile(times, 0.99),
    acknowledgeMsMax: percentile(times, 1),
    refused,
    acknowledgeMs: times,
  };
}

/** Sends a batch; false if it must be sent again. */
function post(agent: Agent, url: string, body: Buffer): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-api-key': token, 'content-type': 'application/json', 'content-length': body.length };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.once('end', () => {
        if (response.statusCode === 200) resolve(true);
        else if (response.statusCode === 503) resolve(false);
        else reject(new Error(`a batch was answered with ${response.statusCode}: ${text}`));
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}
