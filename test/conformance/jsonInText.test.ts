import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RedactedStore } from '../integration/redaction/redactedStore.ts';
import { onEngine } from '../support/enginesUnderTest.ts';
import { storageVariants } from './storageVariants.ts';

/** A nested member that is a string holding JSON is text to JSON functions (googlesql.md, section 2). */
const text = JSON.stringify({
  message: 'boom',
  code: 7,
  user_email: 'ann@example.com',
  list: ['x', { y: 1 }],
  inner: '{"z":2}',
  empty: null,
});
const texts = [text, { message: 'object' }, 'no JSON', '"quoted"', 'null', '17', '{"a":NaN}', 12, ' [1, 2] ', null];

describe.each(storageVariants)(onEngine('JSON functions of strings in events: $title'), (variant) => {
  let store: RedactedStore;

  beforeAll(async () => {
    const events = texts.map((payload, i) => ({
      id: `e${i}`,
      event_message: 'm',
      metadata: { payload, items: [payload, 'other'], request: { path: typeof payload === 'string' ? payload : '/' } },
    }));
    store = await RedactedStore.open(events, variant);
  });
  afterAll(async () => {
    await store.close();
  });

  async function run(sql: string, isRaw = true): Promise<unknown[][]> {
    return (JSON.parse(await store.rows(sql, { isRaw })) as Record<string, unknown>[]).map(Object.values);
  }

  const column = async (sql: string): Promise<unknown[]> => (await run(sql)).map(([value]) => value);
  const unnested = 'from logs as t cross join unnest(metadata) as m';
  const messages = ['boom', 'object', null, null, null, null, null, null, null, null];

  it.each([
    `select json_value(m.payload, '$.message') ${unnested} order by id`,
    `select json_extract_scalar(m.payload, '$.message') ${unnested} order by id`,
    "select json_value(t.metadata.payload, '$.message') from logs as t order by id",
    "select json_value(metadata[offset(0)].payload, '$.message') from logs order by id",
    "select json_value(metadata['payload'], '$.message') from logs order by id",
    "select json_value(payload, '$.message') from payloads order by id",
    'select message from payloads order by id',
    "select json_value(r, '$.message') from (select id, m.payload as r from logs cross join unnest(metadata) as m) order by id",
    `select json_value(any_value(m.payload), '$.message') ${unnested} group by id order by id`,
    `select json_value(m.payload, '$.message') ${unnested} group by id, m.payload order by id`,
    `select json_value(lag(m.payload, 0) over (order by id), '$.message') ${unnested} order by id`,
    `select json_value(if(true, m.payload, json '{}'), '$.message') ${unnested} order by id`,
    `select json_value(coalesce(m.payload, json '{}'), '$.message') ${unnested} order by id`,
    `select json_value(struct(m.payload as r).r, '$.message') ${unnested} order by id`,
    `select json_value([m.payload][offset(0)], '$.message') ${unnested} order by id`,
    `select json_value(m.items[0], '$.message') ${unnested} order by id`,
    `select json_value(i, '$.message') ${unnested} cross join unnest(m.items) as i with offset as o where o = 0 order by id`,
    "select json_value(payload, '$.message') from (select id, payload from payloads union all select 'x', payload from payloads where false) order by id",
  ])('%s', async (sql) => {
    expect(await column(sql)).toEqual(messages);
  });

  it('reads scalars, arrays and members as of text', async () => {
    const first = `${unnested} where id = 'e0'`;
    expect(
      await run(
        `select json_query(m.payload, '$.list'), json_extract(m.payload, '$.code'), json_value_array(m.payload, '$.list'), array_length(json_query_array(m.payload, '$.list')), json_extract_string_array(json_query(m.payload, '$.list[0]')), json_query(m.payload, '$.list')[1].y, json_query_array(m.payload, '$.list')[offset(1)].y ${first}`,
      ),
    ).toEqual([[['x', { y: 1 }], 7, null, 2, null, 1, 1]]);
    expect(await column(`select json_value(m.payload) ${unnested} order by id`)).toEqual([
      ...[null, null, 'no JSON', 'quoted', null, '17', '{"a":NaN}', '12', null, null],
    ]);
    expect(await column(`select json_query(m.payload, '$[1]') ${unnested} where id = 'e8'`)).toEqual([2]);
  });

  it('reads a member in a typed column', async () => {
    const sql = `select json_value(r.path, '$.message') ${unnested} cross join unnest(m.request) as r where json_value(r.path, '$.code') = '7'`;
    expect(await column(sql)).toEqual(['boom']);
  });

  it('reads redacted text behind the barrier', async () => {
    for (const from of ['payloads', '(select id, m.payload from logs cross join unnest(metadata) as m)']) {
      const sql = `select json_value(payload, '$.user_email'), json_query(payload, '$').user_email, json_value(payload, '$.message') from ${from} where id = 'e0'`;
      expect(await run(sql)).toEqual([['ann@example.com', 'ann@example.com', 'boom']]);
      expect(await run(sql, false)).toEqual([['[REDACTED:email]', '[REDACTED:email]', 'boom']]);
    }
  });

  it('reads no string in JSON that PARSE_JSON, a literal or a JSON function made', async () => {
    expect(await column(`select json_value(json '"{\\\\"a\\\\":1}"', '$.a')`)).toEqual([null]);
    expect(await column(`select json_value(parse_json('{"s":"{\\\\"a\\\\":1}"}').s, '$.a')`)).toEqual([null]);
    const first = `${unnested} where id = 'e0'`;
    expect(await column(`select json_value(json_query(m.payload, '$.inner'), '$.z') ${first}`)).toEqual([null]);
    expect(await column(`select json_type(m.payload) ${first}`)).toEqual(['string']);
    expect(await column(`select lax_int64(m.payload) ${unnested} where id = 'e5'`)).toEqual([17]);
    expect(await column(`select m.payload.message ${first}`)).toEqual([null]);
  });
});
