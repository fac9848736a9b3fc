import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/core/errors.ts';
import { onEngine } from '../../support/enginesUnderTest.ts';
import { type LoggedEvent, RedactedStore } from './redactedStore.ts';

const rowsMax = 30;

const events = (count: number): readonly LoggedEvent[] =>
  Array.from({ length: count }, (_, i) => ({
    id: `e${i}`,
    event_message: `${i} from 203.0.113.${i % 250}`,
    metadata: {
      request: { method: 'GET', path: `/${i}`, headers: { x_real_ip: `203.0.113.${i % 250}` } },
      response: { status_code: i % 2 === 0 ? 200 : 500 },
      ...(i === 0 ? { note: 'rare' } : {}),
    },
  }));

async function refusal(run: Promise<string>): Promise<ServiceError> {
  const error = await run.then((rows) => new Error(`was answered: ${rows}`)).catch((thrown: unknown) => thrown);
  if (!(error instanceof ServiceError)) throw error;
  return error;
}

describe.each([
  { isSealed: false, withHotColumns: true },
  { isSealed: true, withHotColumns: true },
])(onEngine('the bound of values that one query has redacted (sealed: $isSealed)'), (variant) => {
  let store: RedactedStore;
  beforeAll(async () => {
    store = await RedactedStore.open(events(50), { ...variant, settings: { redactionRowsMax: rowsMax } });
  });
  afterAll(async () => {
    await store.close();
  });

  it.each([
    'select event_message as x from logs',
    'select count(*) as n from logs where event_message like "%1%"',
    'select max(m.request.path) as x from logs cross join unnest(metadata) as m',
    'select metadata as x from logs order by timestamp',
    'select count(distinct m.request.headers.x_real_ip) as n from logs cross join unnest(metadata) as m',
    "select count(*) as n from logs where safe.parse_timestamp('%Y', event_message) is null",
    "select count(safe_cast(event_message as int64)) as n, countif(safe.regexp_contains(event_message, 'x')) as o from logs",
    'select count(*) as n from logs as a join logs as b on a.id = b.id',
  ])('refuses what would need more: %s', async (sql) => {
    expect(await refusal(store.rows(sql))).toMatchObject({
      code: 'redaction.rows_max',
      status: 400,
      message: expect.stringContaining(`more than ${rowsMax} values`),
    });
    expect(await store.rows(sql, { isRaw: true })).toContain('[{');
  });

  it.each([
    ['select count(*) as n from logs', '[{"n":50}]'],
    [
      'select max(timestamp) as t, countif(m.response.status_code = 500) as n from logs cross join unnest(metadata) as m',
      '',
    ],
    ['select max(event_message) as x from few', '[{"x":"9 from [REDACTED:ip]"}]'],
    ['select count(m.note) as n from logs cross join unnest(metadata) as m', '[{"n":1}]'],
  ])('answers what needs no more: %s', async (sql, rows) => {
    expect(await store.rows(sql)).toContain(rows);
  });

  it('starts anew with each query, also after a refusal, and counts none together', async () => {
    const within = 'select max(event_message) as x from few';
    for (let i = 0; i < 3; i++) {
      await refusal(store.rows('select event_message as x from logs'));
      const answers = await Promise.all(Array.from({ length: 6 }, () => store.rows(within)));
      expect(new Set(answers)).toEqual(new Set(['[{"x":"9 from [REDACTED:ip]"}]']));
    }
  });
});

describe.each([false, true])(onEngine('the texts of other projects (sealed: %s)'), (isSealed) => {
  let store: RedactedStore;
  beforeAll(async () => {
    const own = events(20).map((event) => ({ ...event, metadata: { request: { method: 'GET' } } }));
    // Enough that the first rows of a segment are read with a dictionary of all of them.
    const others = events(4000).map((event, i) => ({
      ...event,
      id: `o${i}`,
      project: 'q',
      metadata: { request: { method: `${i % 1000} from 203.0.113.7` } },
    }));
    const settings = { redactionRowsMax: rowsMax };
    store = await RedactedStore.open([...own, ...others], { isSealed, withHotColumns: true, settings });
  });
  afterAll(async () => {
    await store.close();
  });

  it.each([
    'select max(m.request.method) as x from logs cross join unnest(metadata) as m',
    "select any_value(x) as x from (select m.request.method as x from logs cross join unnest(metadata) as m) where x like 'G%'",
  ])('do not count: %s', async (sql) => {
    expect(await store.rows(sql)).toBe('[{"x":"GET"}]');
  });
});

describe(onEngine('a query that has much to redact'), () => {
  let store: RedactedStore;
  beforeAll(async () => {
    store = await RedactedStore.open(events(60_000), { withHotColumns: true, isSealed: true });
  });
  afterAll(async () => {
    await store.close();
  });

  it('is ended when its caller goes, and harms nobody else', async () => {
    const { starts } = store;
    const gone = new AbortController();
    const running = Promise.all(
      Array.from({ length: 3 }, () => store.rows('select min(event_message) as x from logs', { signal: gone.signal })),
    );
    await store.ping();
    gone.abort(new ServiceError('query.cancelled', 'gone'));
    await expect(running).rejects.toMatchObject({ code: 'query.cancelled' });
    expect(await store.rows('select count(*) as n from logs')).toBe('[{"n":60000}]');
    expect(store.starts).toBe(starts);
  });

  it('is refused where the service would redact by another configuration than the engine', async () => {
    await expect(store.rows('select id from logs limit 1', { redaction: '{}' })).rejects.toThrow(
      'another configuration',
    );
  });
});
