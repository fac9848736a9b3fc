import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileClient } from '../../../test/support/compiledClient.ts';
import { clientApi } from './clientEndpoint.fixture.ts';
import { renderClient } from './renderClient.ts';

const use = `import { LogmillClient, LogmillError } from './client.js';

type Work = (client: LogmillClient, signal: AbortSignal, abort: () => void) => Promise<unknown>;

const never = new Promise<never>(() => undefined);
const page = { result: [{}], meta: { next: 'more' } };
const complete = { id: 'i', state: 'complete', error: null };
const running = { ...complete, state: 'running' };

/** A service that begins with these answers. A text is the beginning of a body, and nothing is no answer. Aborted, it fails as it likes. */
function answering(answers: (object | string | Response | undefined)[]): typeof fetch {
  return async (_, init) => {
    const signal = init?.signal;
    const failed = new Promise<never>((_, reject) => {
      const fail = () => reject(new TypeError('aborted'));
      if (signal?.aborted === true) fail();
      signal?.addEventListener('abort', fail);
    });
    failed.catch(() => undefined);
    const answer = answers.shift();
    if (answer instanceof Response) return answer;
    if (answer === undefined) return failed;
    if (typeof answer === 'object') return Response.json(answer);
    const body = new ReadableStream<Uint8Array>({
      start(stream) {
        stream.enqueue(new TextEncoder().encode(answer));
        failed.catch((error: unknown) => stream.error(error));
      },
    });
    return new Response(body);
  };
}

/** What is aborted, by the answers of its service. */
const works: Record<string, readonly [answers: (object | string | Response | undefined)[], work: Work]> = {
  call: [[], (client, signal, abort) => (queueMicrotask(abort), client.logsAll({}, { signal }))],
  answer: [['{"result":'], (client, signal, abort) => (setTimeout(abort, 5), client.logsAll({}, { signal }))],
  wait: [
    [new Response('{"code":"query.overloaded"}', { status: 503, headers: { 'retry-after': '20' } })],
    (client, signal, abort) => (setTimeout(abort, 5), client.logsAll({}, { signal })),
  ],
  pages: [[page], async (client, signal, abort) => { for await (const _ of client.pages('logsAll', {}, { signal })) queueMicrotask(abort); }],
  stream: [['{"n":1}\\n'], async (client, signal, abort) => { for await (const _ of client.stream('logsAll', {}, { signal })) abort(); }],
  tail: [
    ['{"event":"row","id":"1","data":{"n":1}}\\n'],
    async (client, signal, abort) => { for await (const _ of client.tail('logsAll', {}, { signal })) abort(); },
  ],
  export: [
    [complete, running, running],
    async (client, signal, abort) => (await client.exportById('i')).wait({ signal, onProgress: () => setTimeout(abort, 5) }),
  ],
  data: [
    [complete, 'ro'],
    async (client, signal, abort) => {
      const data = await (await client.exportById('i')).data({ signal });
      abort();
      return data.text();
    },
  ],
};

/** How each of them ends, and whether that is the reason of the signal. */
export async function aborted(abort: (controller: AbortController) => void) {
  const ends: Record<string, unknown> = {};
  for (const [name, [answers, work]] of Object.entries(works)) {
    const controller = new AbortController();
    const client = new LogmillClient({ url: 'http://service', token: 't', fetch: answering([...answers].map((each) => (each instanceof Response ? each.clone() : each))) });
    ends[name] = await work(client, controller.signal, () => abort(controller)).then(
      () => 'complete',
      (error: unknown) => [error instanceof Error ? error.name : error, error === controller.signal.reason, error instanceof LogmillError],
    );
  }
  return ends;
}

/** What a program that was not compiled is told of endpoints that the client does not have. */
export async function unknown() {
  const client = new LogmillClient({ url: 'http://service', token: 't', fetch: () => never }) as unknown as Record<'query' | 'export' | 'pages' | 'stream' | 'tail', (...given: unknown[]) => Promise<unknown>>;
  const calls: (() => unknown)[] = [
    () => client.query('logsAl', { sql: 'select 1' }, {}).catch((error: unknown) => { throw error; }),
    () => client.export('constructor', {}).catch((error: unknown) => { throw error; }),
    () => client.pages('usageCounts', {}),
    () => client.stream('usageCounts', {}),
    () => client.tail('usageCounts', {}),
  ];
  const told: unknown[] = [];
  for (const call of calls) {
    try {
      await call();
    } catch (error) {
      told.push(error instanceof LogmillError ? error.code + ': ' + error.message : String(error));
    }
  }
  return told;
}
`;

interface Used {
  aborted(abort: (controller: AbortController) => void): Promise<Readonly<Record<string, unknown>>>;
  unknown(): Promise<readonly string[]>;
}

describe('the TypeScript client', () => {
  let folder: string;
  let used: Used;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'logmill-client-'));
    const client = renderClient({ ...clientApi, int64: 'number' });
    const out = await compileClient(folder, { 'client.ts': client, 'use.ts': use });
    used = (await import(pathToFileURL(join(out, 'use.js')).href)) as Used;
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('rejects with the reason of its signal, whatever is aborted and whatever fetch makes of it', async () => {
    const all = ['call', 'answer', 'wait', 'pages', 'stream', 'tail', 'export', 'data'];
    const each = (end: string) => Object.fromEntries(all.map((name) => [name, [end, true, false]]));
    expect(await used.aborted((controller) => controller.abort())).toEqual(each('AbortError'));
    expect(await used.aborted((controller) => controller.abort(new RangeError('enough')))).toEqual(each('RangeError'));
    expect(await used.aborted((controller) => controller.abort('enough'))).toEqual(each('enough'));
  });

  it('says which endpoints there are to a program that names another one', async () => {
    const told = (name: string, has: string) =>
      `client.endpoint_unknown: This client has no endpoint ${name} for such a call. It has ${has}.`;
    expect(await used.unknown()).toEqual([
      told('logsAl', 'logsAll'),
      told('constructor', 'logsAll, usageCounts'),
      told('usageCounts', 'logsAll'),
      told('usageCounts', 'logsAll'),
      told('usageCounts', 'logsAll'),
    ]);
  });
});
