import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at } from '../../support/instants.ts';
import { type Answer, startWholeService, type WholeService } from '../../support/wholeService.ts';

const now = at('2026-05-01T12:00:00Z');
/** Addresses sort the rows, and are in no answer. */
const eventsOf = (project: string, count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => ({
    timestamp: new Date((now - 3_600_000_000 + (n % 3) * 1_000_000) / 1000).toISOString(),
    event_message: `${project} ${from + n} user${String((n * 7) % count).padStart(3, '0')}@${project}.example.com`,
    project,
  }));

const query = 'with logs as (select t.id, t.timestamp, t.event_message, t.project from sources.pooler_logs as t) ';
const inPages = 'd7b34a9e-6d3c-4f0a-9d30-1c6f1c9a1b01';
const twin = 'd7b34a9e-6d3c-4f0a-9d30-1c6f1c9a1b02';

interface Page {
  readonly rows: readonly string[];
  readonly next: string | null;
  readonly prev: string | null;
  readonly codes: readonly string[];
}

describe('pages of a service', () => {
  let service: WholeService;
  let token: string;
  beforeAll(async () => {
    service = await startWholeService({ nowMicros: now });
    const definition = {
      query: `${query}select event_message as v from logs where @like is null or event_message like @like order by timestamp desc`,
      parameters: { like: { type: 'string' } },
      sandbox: true,
      max_rows: 100,
    };
    await service.define({ id: inPages, name: 'pages.all', ...definition });
    await service.define({ id: twin, name: 'pages.twin', ...definition });
    await service.send('pooler_logs', eventsOf('alder', 30));
    await service.send('pooler_logs', eventsOf('birch', 30));
    token = await service.makeToken(['query']);
  });
  afterAll(async () => await service.close());

  const call = (parameters: Readonly<Record<string, string>>, by = token, headers = {}) =>
    service.call(inPages, parameters, { headers: { 'x-api-key': by, ...headers } });
  const pageOf = ({ status, body }: Answer): Page => {
    expect(status).toBe(200);
    const { next, prev, notices } = body.meta as typeof body.meta & Pick<Page, 'next' | 'prev'>;
    return { rows: body.result.map(({ v }) => String(v)), next, prev, codes: notices.map(({ code }) => code) };
  };
  const reasonOf = ({ status, body }: Answer) => ({ status, code: body.code, rule: body.errors[0]?.rule });

  it('are the whole answer together, forwards and backwards, while events arrive', async () => {
    const whole = pageOf(await call({})).rows;
    expect(whole).toHaveLength(60);
    const pages = [pageOf(await call({ page_size: '7' }))];
    for (let last = pages[0]; last?.next != null; last = pages.at(-1)) {
      await service.send('pooler_logs', eventsOf('alder', 1, 100 + pages.length));
      pages.push(pageOf(await call({ cursor: last.next })));
    }
    expect(pages.map(({ rows }) => rows.length)).toEqual([7, 7, 7, 7, 7, 7, 7, 7, 4]);
    expect(pages.flatMap(({ rows }) => rows)).toEqual(whole);
    const back: string[] = [];
    for (let cursor = pages.at(-1)?.prev ?? null; cursor !== null; ) {
      const page = pageOf(await call({ cursor, page_size: '20' }));
      back.unshift(...page.rows);
      cursor = page.prev;
    }
    expect(back).toEqual(whole.slice(0, 56));
  });

  it('are linked by headers that a browser may follow, with the parameters of the call', async () => {
    const answer = await call({ page_size: '10', like: '%user%' });
    const link = answer.headers.get('link') ?? '';
    const [, target = ''] = /^<\?([^>]*)>; rel="next"$/.exec(link) ?? [];
    const next = new URLSearchParams(target);
    expect([next.get('like'), next.get('page_size'), next.get('cursor')]).toEqual([
      '%user%',
      '10',
      pageOf(answer).next,
    ]);
    const second = await service.call(inPages, target, { headers: { 'x-api-key': token } });
    expect(second.headers.get('link')).toMatch(/rel="prev"/);
    expect(second.headers.get('etag')).toBeNull();
    const posted = await service.call(
      inPages,
      { page_size: '10' },
      { method: 'POST', headers: { 'x-api-key': token } },
    );
    expect([posted.headers.get('link'), pageOf(posted).next]).toEqual([null, expect.any(String)]);
  });

  it('show a token nothing but rows of its project, redacted, whatever orders them', async () => {
    const restricted = await service.makeToken(['query'], ['alder'], true);
    for (const order of ['event_message', 'event_message desc', 'length(event_message), event_message']) {
      const sql = `select substr(event_message, 1, 5) as v, event_message as m from logs order by ${order}`;
      let count = 0;
      let parameters: Readonly<Record<string, string>> = { sql, page_size: '8' };
      for (;;) {
        const answer = await call(parameters, restricted);
        const { rows, next } = pageOf(answer);
        count += rows.length;
        expect(rows.every((row) => row === 'alder')).toBe(true);
        expect(answer.text).not.toMatch(/birch|@alder/);
        if (next === null) break;
        expect(Buffer.from(next, 'base64url').toString('latin1')).not.toMatch(/alder|user/);
        parameters = { sql, cursor: next };
      }
      expect(count).toBeGreaterThanOrEqual(30);
    }
  });

  it('are refused with the kind of reason if the cursor belongs to another call', async () => {
    const cursor = pageOf(await call({ page_size: '5' })).next ?? '';
    const refused = (rule: string) => ({ status: 400, code: 'page.cursor', rule });
    expect(reasonOf(await call({ cursor, like: 'x' }))).toEqual(refused('query'));
    expect(reasonOf(await call({ cursor, sql: 'select id from logs' }))).toEqual(refused('query'));
    const values = { 'SVC-ENDPOINT-VALUES': 'records' };
    expect(reasonOf(await call({ cursor }, token, values))).toEqual(refused('query'));
    const redacted = { 'SVC-ENDPOINT-REDACT-PII': 'true' };
    expect(reasonOf(await call({ cursor }, token, redacted))).toEqual(refused('query'));
    expect(reasonOf(await call({ cursor }, await service.makeToken(['query'], ['alder'])))).toEqual(refused('policy'));
    expect(reasonOf(await call({ cursor: `${cursor.slice(0, -6)}AAAAAA` }))).toEqual(refused('altered'));
    expect((await call({ cursor }, await service.makeToken(['query']))).status).toBe(200);
    service.clock.advanceMs(24 * 3_600_000 + 1);
    expect(reasonOf(await call({ cursor }))).toEqual(refused('expired'));
    service.clock.setMicros(now);
  });

  it('are refused after the redaction or the rights changed, and for an endpoint with the same query', async () => {
    const cursor = pageOf(await service.call(twin, { page_size: '5' }, { headers: { 'x-api-key': token } })).next ?? '';
    const refused = (rule: string) => ({ status: 400, code: 'page.cursor', rule });
    const callTwin = (parameters: Readonly<Record<string, string>>, by = token) =>
      service.call(twin, parameters, { headers: { 'x-api-key': by } });
    expect(reasonOf(await call({ cursor }))).toEqual(refused('version'));
    expect(pageOf(await callTwin({ cursor })).rows).toHaveLength(5);
    expect(reasonOf(await callTwin({ cursor }, await service.makeToken(['query'], undefined, true)))).toEqual(
      refused('query'),
    );
    const headers = { 'x-api-key': service.adminToken, 'content-type': 'application/json' };
    const body = JSON.stringify({ redact_pii: true });
    const changed = await fetch(`${service.url}/api/endpoints/${twin}`, { method: 'PATCH', headers, body });
    expect([changed.status, (await changed.text()).includes('"redact_pii":true')]).toEqual([200, true]);
    expect(reasonOf(await callTwin({ cursor }))).toEqual(refused('version'));
    const redacted = await callTwin({ page_size: '5' });
    expect(redacted.text).not.toContain('@alder');
    expect(reasonOf(await call({ cursor: pageOf(redacted).next ?? '' }))).toEqual(refused('version'));
  });

  it('may differ in format and size, and are as large as the endpoint allows with page_size=max', async () => {
    const all = pageOf(await call({ page_size: 'max' })).rows;
    expect(all.length).toBeGreaterThan(59);
    const first = await call({ page_size: '7' });
    const ask = (parameters: Readonly<Record<string, string>>) =>
      fetch(`${service.url}/api/endpoints/query/${inPages}`, {
        method: 'POST',
        headers: { 'x-api-key': token, 'content-type': 'application/json' },
        body: JSON.stringify({ format: 'tsv', ...parameters }),
      });
    const second = await ask({ cursor: pageOf(first).next ?? '' });
    const third = await ask({ cursor: second.headers.get('x-next-cursor') ?? '', page_size: 'max' });
    const rows = [second, third].map(async (answer) => (await answer.text()).trimEnd().split('\n').slice(1));
    expect([...pageOf(first).rows, ...(await Promise.all(rows)).flat()]).toEqual(all);
    expect([third.headers.get('x-next-cursor'), third.headers.get('x-prev-cursor')]).toEqual([
      null,
      expect.any(String),
    ]);
  });

  it.each([
    ['select count(*) as n, project from logs group by rollup (project)', 'ROLLUP'],
    ['select distinct cast(length(event_message) as float64) as f from logs', 'DISTINCT with a value of type FLOAT64'],
    ['select avg(length(event_message)) as v from logs group by project', 'AVG'],
    ['select project, sum(1 / length(id)) as v from logs group by project order by v', 'SUM'],
    ['select id from logs union all select project from (select distinct project from logs)', 'UNION ALL'],
    ['select id from logs where rand() < 2', 'RAND'],
    ['select id from (select id from logs limit 3)', 'LIMIT'],
    ['select any_value(id) over () as v from logs', 'ANY_VALUE'],
  ])('are refused for %s', async (sql, construct) => {
    const answer = await call({ sql, page_size: '5' });
    expect(reasonOf(answer)).toMatchObject({ status: 422, code: 'page.unorderable' });
    expect(answer.body.detail).toContain(construct);
  });

  it.each([
    ['select count(*) >= 60 as v from logs', 'true'],
    ["select concat(min(project), max(project)) as v from logs where project != 'none'", 'alderbirch'],
    ['select 1 as v', '1'],
  ])('are one page for a query that gives one row: %s', async (sql, value) => {
    const { rows, next, prev, codes } = pageOf(await call({ sql, page_size: '1' }));
    expect({ rows, next, prev }).toEqual({ rows: [value], next: null, prev: null });
    expect(codes).not.toContain('page.order_added');
  });

  it('are refused for sizes that no page has, and sort keys that no cursor holds', async () => {
    for (const size of ['0', '-1', '1.5', 'all', '101', '1e2']) {
      const answer = await call({ page_size: size });
      expect([size, reasonOf(answer)]).toMatchObject([size, { status: 400, code: 'parameter.invalid' }]);
    }
    const sql = 'select id from logs order by repeat(event_message, 100)';
    expect(reasonOf(await call({ sql, page_size: '5' }))).toMatchObject({ status: 422, code: 'page.key_too_long' });
  });

  describe('of rows of which some have sort keys that no cursor holds', () => {
    // Eleven of them in a row.
    const isLong = "regexp_contains(event_message, r'^alder (2\\d|\\d*[0369]) ')";
    const sql = `select event_message as v from logs where project = 'alder' order by event_message, if(${isLong}, repeat('x', 2000), '')`;
    const isLongRow = (row: string | undefined) => /^alder (2\d|\d*[0369]) /.test(row ?? '');
    const ask = async (page: Readonly<Record<string, string>>) => pageOf(await call({ sql, ...page }));

    it('end at another row, forwards and backwards', async () => {
      const whole = (await ask({ page_size: 'max' })).rows;
      expect(whole.filter(isLongRow).length).toBeGreaterThan(10);
      const size = '12';
      const forwards = [await ask({ page_size: size })];
      for (let cursor = forwards[0]?.next; cursor != null; cursor = forwards.at(-1)?.next) {
        forwards.push(await ask({ cursor }));
      }
      expect(forwards.flatMap(({ rows }) => rows)).toEqual(whole);
      expect(forwards.slice(0, -1).filter(({ rows }) => isLongRow(rows.at(-1)))).toEqual([]);
      expect(forwards.slice(1).some(({ rows }) => isLongRow(rows[0]))).toBe(true);
      const last = forwards.at(-1);
      const back = [...(last?.rows ?? [])];
      for (let cursor = last?.prev; cursor != null; ) {
        const page = await ask({ cursor });
        back.unshift(...page.rows);
        expect(page.codes).toEqual([]);
        // The page after it is the one that the reader comes from.
        expect((await ask({ cursor: page.next ?? '', page_size: 'max' })).rows[0]).toBe(
          back[page.rows.length] ?? 'none',
        );
        cursor = page.prev;
      }
      expect(back).toEqual(whole);
    });

    it('are refused if their end has no cursor, and say so if only their beginning has none', async () => {
      const whole = (await ask({ page_size: 'max' })).rows;
      // Two short rows after a long one.
      const at = whole.findIndex((row, i) => isLongRow(whole[i - 2]) && !isLongRow(whole[i - 1]) && !isLongRow(row));
      const { next } = await ask({ page_size: String(at) });
      expect((await ask({ cursor: next ?? '', page_size: '1' })).rows).toEqual([whole[at]]);
      const after = await ask({ cursor: next ?? '', page_size: '1' });
      const backTo = await ask({ cursor: after.prev ?? '', page_size: '1' });
      expect([backTo.rows, backTo.codes]).toEqual([[whole[at - 1]], []]);
      const stuck = await ask({ cursor: backTo.prev ?? '', page_size: '1' });
      expect(stuck).toMatchObject({ rows: [whole[at - 2]], prev: null, codes: ['page.prev_missing'] });
      expect((await ask({ cursor: stuck.next ?? '', page_size: '1' })).rows).toEqual([whole[at - 1]]);
      const forwards = await call({ sql, page_size: '1' });
      expect(isLongRow(whole[0])).toBe(true);
      expect(reasonOf(forwards)).toMatchObject({ status: 422, code: 'page.key_too_long' });
      expect(forwards.body.detail).toContain('a larger page_size helps');
    });
  });

  /** What the pages of a query have together, and what its last one says of a limit. */
  const ofAllPages = async (id: string, parameters: Readonly<Record<string, string>>, size: string) => {
    let count = 0;
    for (let page: Readonly<Record<string, string>> = { page_size: size }; ; ) {
      const { status, body } = await service.call(id, { ...parameters, ...page }, { headers: { 'x-api-key': token } });
      expect(status).toBe(200);
      const { next, truncated_by: by = null, notices } = body.meta as typeof body.meta & { next: string | null };
      count += body.result.length;
      const [notice, ...others] = notices.filter(({ code }) => code === 'query.limit_reached');
      expect(others).toEqual([]);
      if (next === null) return [count, by, notice?.message ?? null];
      expect([by, notice]).toEqual([null, undefined]);
      page = { cursor: next, page_size: size };
    }
  };

  it('say on the last one that the LIMIT of the query leaves out rows, whatever gives it', async () => {
    const limited = 'd7b34a9e-6d3c-4f0a-9d30-1c6f1c9a1b03';
    const parametric = 'd7b34a9e-6d3c-4f0a-9d30-1c6f1c9a1b04';
    const some = "select event_message as v from logs where starts_with(event_message, 'alder') order by timestamp, v";
    await service.define({ id: limited, name: 'pages.limited', query: `${query}${some} limit 20`, max_rows: 100 });
    await service.define({
      id: parametric,
      name: 'pages.parametric',
      query: `${query}${some} limit @n offset 2`,
      parameters: { n: { type: 'int64', default: '20' } },
      sandbox: true,
      max_rows: 100,
    });
    const all = (await ofAllPages(inPages, { sql: some }, '100'))[0] as number;
    const stored = 'The stored query has LIMIT 20, so further rows are left out.';
    const raised = 'For more rows, the LIMIT in the definition of the endpoint must be raised.';
    for (const size of ['7', '20', '50']) {
      expect(await ofAllPages(limited, {}, size)).toEqual([20, 'query_limit', `${stored} ${raised}`]);
      const [count, by, message] = await ofAllPages(parametric, {}, size);
      expect([count, by]).toEqual([20, 'query_limit']);
      expect(message).toMatch(
        /^The stored query has LIMIT @n, which is 20, so .* give the parameter n a larger value, or /,
      );
      // A LIMIT of the caller is no truncation.
      expect(await ofAllPages(inPages, { sql: `${some} limit 20` }, size)).toEqual([
        20,
        null,
        'Your query has LIMIT 20, so further rows are left out. For more rows, raise the LIMIT or leave it out.',
      ]);
    }
    // All rows that there are.
    expect(await ofAllPages(parametric, { n: String(all - 2) }, '7')).toEqual([all - 2, null, null]);
    expect(await ofAllPages(inPages, { sql: `${some} limit ${all}` }, '7')).toEqual([all, null, null]);
    const below = `select v from (${some} limit 20)`;
    expect((await ofAllPages(inPages, { sql: below }, '7')).slice(0, 2)).toEqual([20, null]);
    expect((await ofAllPages(inPages, { sql: below }, '7'))[2]).toContain('may be left out');
    for (const page of [{}, { page_size: '7' }]) {
      const negative = await service.call(parametric, { n: '-1', ...page }, { headers: { 'x-api-key': token } });
      expect(reasonOf(negative)).toMatchObject({ status: 400, code: 'parameter.invalid' });
      expect(negative.body.detail).toBe(
        'The parameter n is -1; it is a LIMIT or OFFSET of the query, so it must be 0 or more.',
      );
    }
    const csv = await fetch(`${service.url}/api/endpoints/query/${limited}?page_size=20&format=csv`, {
      headers: { 'x-api-key': token },
    });
    expect([csv.headers.get('x-truncated'), csv.headers.get('x-next-cursor')]).toEqual(['query_limit', null]);
    expect(JSON.parse(csv.headers.get('x-notices') ?? '[]')).toMatchObject([{ code: 'query.limit_reached' }]);
  });

  it('are not needed to learn that the LIMIT of the stored query cut an answer, whatever gives it', async () => {
    const some = "select event_message as v from logs where starts_with(event_message, 'birch') order by timestamp, v";
    const ids = new Map<string, string>();
    for (const [i, end] of ['limit 20', 'limit 20 offset 2', 'limit @n', 'limit @n offset @m'].entries()) {
      const id = `d7b34a9e-6d3c-4f0a-9d30-1c6f1c9a1b1${i}`;
      const parameters = Object.fromEntries(
        ['n', 'm'].filter((name) => end.includes(`@${name}`)).map((name) => [name, { type: 'int64' }]),
      );
      await service.define({ id, name: `cut.by${i}`, query: `${query}${some} ${end}`, parameters, max_rows: 100 });
      ids.set(end, id);
    }
    const of = async (end: string, parameters: Readonly<Record<string, string>>) => {
      const headers = { 'x-api-key': token };
      const { status, body } = await service.call(ids.get(end) ?? '', parameters, { headers });
      expect([status, body.detail]).toEqual([200, undefined]);
      const { row_count: count, truncated, truncated_by: by = null, notices } = body.meta;
      expect([truncated, body.result.length, notices]).toEqual([by !== null, count, []]);
      return [count, by];
    };
    expect(await of('limit 20', {})).toEqual([20, 'query_limit']);
    expect(await of('limit 20 offset 2', {})).toEqual([20, 'query_limit']);
    expect(await of('limit @n', { n: '20' })).toEqual([20, 'query_limit']);
    expect(await of('limit @n offset @m', { n: '20', m: '2' })).toEqual([20, 'query_limit']);
    expect(await of('limit @n offset @m', { n: '20', m: '9' })).toEqual([20, 'query_limit']);
    expect(await of('limit @n', { n: '0' })).toEqual([0, 'query_limit']);
    // All rows that there are: 30.
    const most = String(2n ** 63n - 1n);
    for (const n of ['30', '31', '100', '101', most]) expect(await of('limit @n', { n })).toEqual([30, null]);
    for (const n of ['20', most]) expect(await of('limit @n offset @m', { n, m: '10' })).toEqual([20, null]);
    expect(await of('limit @n', {})).toEqual([30, null]);
    expect(await of('limit @n offset @m', { m: '5' })).toEqual([25, null]);
    // A LIMIT of the caller is no truncation.
    for (const end of ['limit 20', 'limit 20 offset 2']) {
      const { body } = await call({ sql: `${some} ${end}` });
      expect(body.meta).toMatchObject({ row_count: 20, truncated: false, notices: [] });
    }
  });

  it('are not needed to learn that a LIMIT below the outermost query may have cut an answer', async () => {
    const id = 'd7b34a9e-6d3c-4f0a-9d30-1c6f1c9a1b20';
    const below = "(select event_message as v from logs where starts_with(event_message, 'birch') order by v limit @n)";
    const parameters = { n: { type: 'int64' } };
    await service.define({ id, name: 'cut.below', query: `${query}select v from ${below}`, parameters });
    const noticesOf = async (n: string) => {
      const { body } = await service.call(id, { n }, { headers: { 'x-api-key': token } });
      return [body.meta.row_count, body.meta.truncated, ...body.meta.notices.map(({ message }) => message)];
    };
    const told =
      'The stored query has LIMIT @n, which is 7, so further rows may be left out. For more rows, give the parameter n a larger value.';
    expect(await noticesOf('7')).toEqual([7, false, told]);
    expect(await noticesOf('31')).toEqual([30, false]);
  });

  const remove = async (project: string) => {
    const headers = { 'x-api-key': service.adminToken };
    const { status } = await fetch(`${service.url}/api/projects/${project}/events`, { method: 'DELETE', headers });
    return status;
  };

  it('say so if the query has no order, or events were removed meanwhile', async () => {
    const sql = "select event_message as v from logs where project = 'alder'";
    const first = pageOf(await call({ sql, page_size: '9' }));
    expect(first.codes).toEqual(['page.order_added']);
    const whole = pageOf(await call({ sql, page_size: '100' })).rows;
    expect(whole.slice(0, 9)).toEqual(first.rows);
    // 503 while files wait to be sealed.
    await expect.poll(() => remove('alder')).toBe(202);
    const second = pageOf(await call({ sql, cursor: first.next ?? '' }));
    expect(second).toEqual({
      rows: [],
      next: null,
      prev: null,
      codes: expect.arrayContaining(['page.events_removed']),
    });
  });

  it('tell a token nothing of events of other projects that were removed meanwhile', async () => {
    await service.send('pooler_logs', eventsOf('cedar', 3));
    const restricted = await service.makeToken(['query'], ['birch']);
    const [own, all] = [pageOf(await call({ page_size: '9' }, restricted)), pageOf(await call({ page_size: '9' }))];
    await expect.poll(() => remove('cedar')).toBe(202);
    const after = pageOf(await call({ cursor: own.next ?? '' }, restricted));
    expect([after.codes, after.rows.length]).toEqual([[], 9]);
    expect(pageOf(await call({ cursor: all.next ?? '' })).codes).toContain('retention.varies');
  });
});
