import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at } from '../../support/instants.ts';
import { patience } from '../../support/patience.ts';
import { type Answer, startWholeService, type WholeService } from '../../support/wholeService.ts';

const now = at('2026-05-01T12:00:00Z');
/** The deadline of calls that run away in time; small ones have one that no machine is too busy for. */
const timeoutMs = 1500;
const longMs = 120_000;
const mebibyte = 2 ** 20;

const events = Array.from({ length: 2000 }, (_, i) => ({
  id: `event-${i}`,
  timestamp: now - i,
  event_message: `${'x'.repeat(200)}${i}`,
  project: 'own',
}));

async function start(settings: Readonly<Record<string, unknown>>): Promise<WholeService> {
  const service = await startWholeService({ nowMicros: now, settings: { queryTimeoutMs: longMs, ...settings } });
  await service.send('edge_logs', events);
  return service;
}

const numbers = 'unnest(generate_array(1, 100000))';

/** Those of its texts that live at once depend on the machine: it can outgrow the process before its time is over. */
const growing = 'text that grows in every row';

/** As `logs.all`, with a deadline of its own. */
const shortLived = {
  id: '00000000-0000-4000-8000-000000000051',
  name: 'short.lived',
  sandbox: true,
  timeout_ms: timeoutMs,
  parameters: { project: { type: 'string', required: true } },
  query: `with edge_logs as (
    select t.id, t.timestamp, t.event_message, t.metadata from sources.edge_logs as t where t.project = @project
  ) select id from edge_logs`,
};

/** Each runs for hours if it is let. */
const endless: Readonly<Record<string, string>> = {
  'a cross join of generated numbers': `select count(*) as n from ${numbers} a cross join ${numbers} b where mod(a * b, 7) = 3`,
  'a comma join of a table with itself':
    'select count(*) as n from edge_logs a, edge_logs b, edge_logs c where a.id || b.id < c.id',
  'a sort of a cross join': 'select a.id from edge_logs a, edge_logs b, edge_logs c order by md5(a.id || b.id || c.id)',
  'a correlated subquery over a cross join': `select (select count(*) from ${numbers} x, ${numbers} y where x * y > length(e.id)) as n from edge_logs e`,
  'WITH tables that multiply':
    'with a as (select id from edge_logs), b as (select p.id from a p, a q), c as (select p.id from b p, b q) select max(id) as id from c',
  [growing]: 'select sum(length(repeat(a.event_message, 10000))) as n from edge_logs a, edge_logs b',
};

/** How the query may end: with code and status. */
const endingsOf = (title: string) =>
  (title === growing ? ['query.timeout', 'query.memory'] : ['query.timeout']).map((code) => ({ status: 504, code }));

/** Each needs far more memory than it may have, and soon. */
const greedy: Readonly<Record<string, string>> = {
  'text joined over a cross join':
    "select string_agg(a.event_message || b.event_message, ',') as s from edge_logs a, edge_logs b",
  'an array of a cross join': 'select array_agg(a.event_message || b.event_message) as s from edge_logs a, edge_logs b',
  'an array of generated texts': `select array_agg(concat(a.event_message, cast(x as string))) as s from edge_logs a, ${numbers} x`,
  'a few huge texts': "select length(string_agg(repeat(event_message, 5000), '')) as n from edge_logs",
};

const ask = (service: WholeService, sql: string, signal?: AbortSignal, endpoint = 'logs.all') =>
  service.call(endpoint, { project: 'own', sql }, { method: 'POST', ...(signal === undefined ? {} : { signal }) });

/** Sends an event, again where queries hold the memory that it needs: nothing of it was taken then. */
async function sendUntilTaken(service: WholeService, event: object): Promise<void> {
  const refusal = async () => {
    try {
      await service.send('database_logs', [event]);
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  };
  let told = await refusal();
  while (told !== null) {
    expect(told).toMatch(/not stored: 503 .*"ingest\.overloaded"/);
    told = await refusal();
  }
}

const askShortLived = (service: WholeService, sql: string) => ask(service, sql, undefined, shortLived.name);

const small = (service: WholeService) => ask(service, 'select count(*) as n from edge_logs');

/**
 * Calls until it is answered with rows; gives the time in milliseconds, without what new engine processes took to
 * start: half a second on a machine with nothing else to do, and many times that on a busy one.
 */
async function backAfter(service: WholeService): Promise<number> {
  const startedMs = performance.now();
  const observedBefore = service.observations.length;
  await expect.poll(async () => (await small(service)).body.result).toEqual([{ n: events.length }]);
  const elapsedMs = performance.now() - startedMs;
  return elapsedMs - startsMs(service, observedBefore);
}

/** What new engine processes took to start since then, in milliseconds. */
function startsMs({ observations }: WholeService, observedBefore: number): number {
  return observations
    .slice(observedBefore)
    .reduce((sum, each) => sum + (each.kind === 'engine.started' ? each.elapsedMs : 0), 0);
}

describe('a query that runs away in time', () => {
  let service: WholeService;
  beforeAll(async () => {
    service = await start({ memory: '256MiB' });
    await service.define(shortLived);
  });
  afterAll(() => service.close());

  it.each(Object.entries(endless))(
    'is ended at its deadline, while other calls are answered: %s',
    async (title, sql) => {
      const startedMs = performance.now();
      const observedBefore = service.observations.length;
      let ended: Answer | undefined;
      let elapsedMs = 0;
      const running = askShortLived(service, sql).then((answer) => {
        elapsedMs = performance.now() - startedMs;
        ended = answer;
      });
      const meanwhile: (readonly [number, unknown])[] = [];
      let answeredBefore = 0;
      while (ended === undefined) {
        const { status, body } = await small(service);
        meanwhile.push([status, body.result]);
        if (ended === undefined) answeredBefore++;
      }
      await running;
      expect(endingsOf(title)).toContainEqual({ status: ended.status, code: ended.body.code });
      if (ended.body.code === 'query.timeout') {
        expect(ended.body.error.message).toContain(`${timeoutMs} ms`);
        expect(elapsedMs).toBeGreaterThan(timeoutMs * 0.9);
      }
      expect(elapsedMs - startsMs(service, observedBefore)).toBeLessThan((timeoutMs + 2000) * patience());
      expect(answeredBefore).toBeGreaterThan(0);
      for (const answer of meanwhile) expect(answer).toEqual([200, [{ n: events.length }]]);
      expect(await backAfter(service)).toBeLessThan(5000 * patience());
    },
  );

  it('does not take all places when several run at once', async () => {
    const running = Object.entries(endless).map(
      async ([title, sql]) => [title, await askShortLived(service, sql)] as const,
    );
    const first = await small(service);
    expect(first.status).toBe(200);
    for (const [title, { status, body }] of await Promise.all(running)) {
      expect(endingsOf(title)).toContainEqual({ status, code: body.code });
    }
    expect(await backAfter(service)).toBeLessThan(5000 * patience());
  });

  it('can neither be cached nor repeated: the stored queries answer as before', async () => {
    const { status, body } = await service.call('logs.all', { project: 'own' });
    expect({ status, rows: body.result.length }).toEqual({ status: 200, rows: 100 });
  });
});

describe('a query that runs away in memory', () => {
  let service: WholeService;
  beforeAll(async () => {
    service = await start({ memory: 96 * mebibyte });
  });
  afterAll(() => service.close());

  it.each(Object.entries(greedy))('is ended, and the service answers again within five seconds: %s', async (_, sql) => {
    const answer = await ask(service, sql);
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 504, code: 'query.memory' });
    expect(answer.text).not.toMatch(/duckdb|out of memory error|MiB used|temp_directory/i);
    expect(await backAfter(service)).toBeLessThan(5000 * patience());
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  });

  it('loses and doubles no events that are sent meanwhile', async () => {
    for (let round = 1; round <= 5; round++) {
      const running = Promise.all(Object.values(greedy).map((sql) => ask(service, sql)));
      for (let i = 0; i < 20; i++) {
        await sendUntilTaken(service, { id: `meanwhile-${round}-${i}`, timestamp: now, project: 'own' });
      }
      for (const { status, body } of await running) {
        expect({ status, code: body.code }).toEqual({ status: 504, code: 'query.memory' });
      }
      expect(await backAfter(service)).toBeLessThan(5000 * patience());
      const { body } = await ask(service, 'select count(*) as n, count(distinct id) as ids from database_logs');
      expect(body.result).toEqual([{ n: 20 * round, ids: 20 * round }]);
    }
  });

  it.each([
    "select repeat('x', 1000000000) as s",
    "select lpad('x', 1000000000) as s",
    "select rpad('x', 1000000000) as s",
    'select array_length(generate_array(1, 1000000000)) as n',
    "select array_length(generate_timestamp_array(timestamp '1970-01-01', timestamp '2026-01-01', interval 1 microsecond)) as n",
    "select array_length(generate_date_array(date '0001-01-01', date '9999-12-31', interval 1 day)) as n",
    "select replace(repeat('x', 100000), 'x', repeat('x', 100000)) as s",
  ])('is refused before it allocates: %s', async (sql) => {
    const { status, body } = await ask(service, sql);
    expect({ sql, status, code: body.code }).toEqual({ sql, status: 400, code: 'sql.data' });
  });

  it('is refused when it is compiled where the width stands in a literal format', async () => {
    const { status, body } = await ask(service, "select format('%1000000000d', 5) as s");
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'sql.type' });
  });
});

describe('small queries beside greedy ones', () => {
  let service: WholeService;
  beforeAll(async () => {
    service = await start({ memory: '256MiB' });
  });
  afterAll(() => service.close());

  it('are answered, at most later', async () => {
    let isOver = false;
    const running = Object.values(greedy).map(async (sql) => {
      while (!isOver) expect((await ask(service, sql)).body.code).toBe('query.memory');
    });
    const others = [
      'select count(*) as n from edge_logs',
      'select id, event_message from edge_logs order by timestamp desc limit 100',
      'select substr(id, 1, 8) as k, count(*) as n from edge_logs group by k order by k limit 10',
    ].map(async (sql) => {
      for (let call = 0; call < 20; call++) expect((await ask(service, sql)).body.code).toBeUndefined();
    });
    await Promise.all(others);
    isOver = true;
    await Promise.all(running);
  });
});

/** Each makes what it is given twice as large, or more. */
const doubling: Readonly<Record<string, readonly [seed: string, step: string]>> = {
  CONCAT: ['event_message', 'concat(m, m)'],
  '||': ['event_message', 'm || m'],
  FORMAT: ['event_message', "format('%s%s', m, m)"],
  REPLACE: ['event_message', "replace(m, 'x', 'xx')"],
  REGEXP_REPLACE: ['event_message', "regexp_replace(m, '(x)', r'\\1\\1')"],
  REPEAT: ['event_message', 'repeat(m, 2)'],
  LPAD: ['event_message', "lpad(m, length(m) * 2, 'x')"],
  RPAD: ['event_message', "rpad(m, length(m) * 2, 'x')"],
  TO_HEX: ['event_message', 'to_hex(cast(m as bytes))'],
  TO_JSON_STRING: [`concat(event_message, '"')`, 'to_json_string(to_json_string(m))'],
  ARRAY_TO_STRING: ['event_message', 'array_to_string([m, m], m)'],
  ARRAY_CONCAT: ['[length(event_message)]', 'array_concat(m, m)'],
  'CONCAT of bytes': ['cast(event_message as bytes)', 'concat(m, m)'],
};

describe('a query that doubles its values in every step', () => {
  let service: WholeService;
  beforeAll(async () => {
    service = await start({ memory: 96 * mebibyte });
  });
  afterAll(() => service.close());

  const doubled = (seed: string, step: string, times: number): string => {
    const steps = Array.from({ length: times }, (_, i) => `t${i + 1} as (select ${step} as m from t${i})`);
    return `with t0 as (select ${seed} as m from edge_logs limit 1), ${steps.join(', ')} select count(m) as n from t${times}`;
  };

  it.each(Object.entries(doubling))('is refused where a value becomes too large: %s', async (name, [seed, step]) => {
    const few = await ask(service, doubled(seed, step, 2));
    expect({ status: few.status, result: few.body.result }).toEqual({ status: 200, result: [{ n: 1 }] });
    const { status, body } = await ask(service, doubled(seed, step, 30));
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'sql.data' });
    expect(body.error.message).toContain(name.replace(' of bytes', ''));
  });
});

describe('a caller that goes away', () => {
  let service: WholeService;
  beforeAll(async () => {
    // One place: as long as the query runs, nobody else is answered.
    service = await start({ queryConcurrency: 1, memory: '256MiB' });
  });
  afterAll(() => service.close());

  it.each(Object.entries(endless))('ends its query, whose place is free again at once: %s', async (_, sql) => {
    const caller = new AbortController();
    const running = ask(service, sql, caller.signal).then(
      () => 'answered',
      () => 'gone',
    );
    await expect.poll(() => stages(service)).toEqual(['running']);
    const observedBefore = service.observations.length;
    caller.abort();
    expect(await running).toBe('gone');
    expect(await backAfter(service)).toBeLessThan(5000 * patience());
    const codes = () =>
      service.observations
        .slice(observedBefore)
        .flatMap((each) => (each.kind === 'request.completed' && each.errorCode !== undefined ? [each.errorCode] : []));
    await expect.poll(codes).toEqual(['query.cancelled']);
  });
});

/** How far the queries are that are not answered yet. */
async function stages({ url, adminToken }: WholeService): Promise<readonly string[]> {
  const response = await fetch(`${url}/api/queries`, { headers: { 'x-api-key': adminToken } });
  const { queries } = (await response.json()) as { readonly queries: readonly { readonly stage: string }[] };
  return queries.map(({ stage }) => stage);
}
