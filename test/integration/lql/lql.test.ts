import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { floorTo, hour, iso, minute, second } from '../../support/instants.ts';
import { allowedNames, startWholeService, type WholeService } from '../../support/wholeService.ts';
import { definitions } from './lqlDefinitions.ts';
import { edgeEvents, functionEvents, now } from './lqlEvents.ts';
import { pairs } from './sameAsSql.ts';

let service: WholeService;
beforeAll(async () => {
  // Each definition moves the clock by a second.
  service = await startWholeService({ nowMicros: now - definitions.length * second });
  for (const fields of definitions) await service.define(fields);
  await service.send('edge_logs', edgeEvents);
  await service.send('function_logs', functionEvents);
});
afterAll(() => service.close());

const ask = (lql: string, endpoint = 'logs.all') => service.call(endpoint, { project: 'own', lql }, { method: 'POST' });
const askSql = (sql: string, endpoint = 'logs.all') =>
  service.call(endpoint, { project: 'own', sql }, { method: 'POST' });

async function answerOf(lql: string, endpoint?: string) {
  const { status, body } = await ask(lql, endpoint);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

describe('a query in LQL answers as the SQL that means the same', () => {
  it.each(pairs)('$lql', async ({ lql, sql, isEmpty }) => {
    const [ofLql, ofSql] = [await ask(lql.includes('f:') ? lql : `${lql} f:edge_logs`), await askSql(sql)];
    expect(ofSql.status, ofSql.text).toBe(200);
    expect(ofLql.status, ofLql.text).toBe(200);
    expect(ofLql.body.meta.columns).toEqual(ofSql.body.meta.columns);
    expect(ofLql.body.result).toEqual(ofSql.body.result);
    expect(ofLql.body.result.length > 0).toBe(isEmpty !== true);
    expect(ofLql.text).not.toContain('secret');
  });
});

describe('the table', () => {
  it('may be left out where the endpoint has one', async () => {
    const { result } = await answerOf('m.response.status_code:500', 'one.table');
    expect(result.map(({ id }) => id)).toEqual(['e2']);
  });

  it('must be named where there are several, and the error lists them', async () => {
    const { status, body } = await ask('error');
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'lql.table_missing' });
    expect(allowedNames(body)).toContain('edge_logs');
    expect(allowedNames(body)).toHaveLength(9);
  });

  it('must exist', async () => {
    const { status, body } = await ask('x', 'no.table');
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'lql.table_missing' });
  });

  it.each(['edge_log', 'sources.edge_logs', 'main.edge_logs', 'information_schema.tables', 'numbers'])(
    '%s is outside the sandbox',
    async (table) => {
      const { status, body } = await ask(`error f:${table}`);
      expect({ status, code: body.code }).toEqual({ status: 403, code: 'sandbox.table' });
      expect(body.errors[0]).toMatchObject({ line: 1, column: 9, token: table });
      expect(allowedNames(body)).toHaveLength(9);
    },
  );
});

describe('tables that are no logs of events', () => {
  it('show all columns, and take text for a column of text', async () => {
    const { result, meta } = await answerOf('f:numbers name:e1 n:>=7 half:2.5 young:true', 'typed.tables');
    expect(result).toEqual([{ name: 'e1', n: 7, half: 2.5, young: true }]);
    expect(meta.columns.map(({ name }) => name)).toEqual(['name', 'n', 'half', 'young']);
  });

  it('are searched and charted by a DATETIME as UTC, newest first', async () => {
    const { result } = await answerOf('f:hours t:this@d', 'typed.tables');
    expect(result.map(({ timestamp }) => timestamp)).toEqual(['2026-05-01T12:00:00', '2026-05-01T10:00:00']);
    const chart = await answerOf('f:hours t:today c:sum(n) c:group_by(t::d)', 'typed.tables');
    expect(chart.result).toEqual([{ timestamp: '2026-05-01T00:00:00.000000Z', sum: 6 }]);
  });

  it('have arrays of their own types, and columns named as clauses are', async () => {
    expect((await answerOf('f:letters list:@>bc id:e1', 'typed.tables')).result).toHaveLength(1);
    expect((await answerOf('f:letters list:@>~"^b" id:e1', 'typed.tables')).result).toHaveLength(1);
    expect((await answerOf('f:letters list:@>b', 'typed.tables')).result).toEqual([]);
    expect((await answerOf('f:letters c:1 id:e1', 'typed.tables')).result).toHaveLength(1);
  });

  it.each([
    ['f:numbers n:seven', 'sql.type'],
    ['f:numbers young:>5', 'sql.type'],
    ['f:numbers error', 'sql.unknown_name'],
    ['f:numbers t:today', 'sql.unknown_name'],
    ['f:numbers c:count(*)', 'sql.unknown_name'],
    ['f:hours nn:5', 'sql.unknown_name'],
  ])('%s is refused: %s', async (lql, code) => {
    const { status, body } = await ask(lql, 'typed.tables');
    expect({ status, code: body.code }).toEqual({ status: 400, code });
    expect(body.errors[0]).toMatchObject({ line: 1 });
  });
});

describe('rows and their limit', () => {
  it('keeps the newest rows', async () => {
    const { result, meta } = await answerOf('-"from the future"', 'one.table');
    expect(result.map(({ id }) => id)).toEqual(['e1', 'n1', 'e2']);
    expect(meta).toMatchObject({ truncated: true, truncated_by: 'max_rows' });
  });

  it('keeps the newest periods of a chart, in ascending order, and says that some are missing', async () => {
    const { result, meta } = await answerOf('c:count(*) c:group_by(t::hour)', 'one.table');
    const start = floorTo(now, hour);
    expect(result).toEqual([
      { timestamp: iso(start - 2 * hour), count: 1 },
      { timestamp: iso(start), count: 4 },
      { timestamp: iso(start + 2 * hour), count: 1 },
    ]);
    expect(meta).toMatchObject({ truncated: true, truncated_by: 'max_rows' });
  });

  it('says nothing of a chart that fits', async () => {
    const { result, meta } = await answerOf('c:count(*) t:this@h c:group_by(t::m)', 'one.table');
    const start = floorTo(now, minute);
    expect(result).toEqual([
      { timestamp: iso(start - 20 * minute), count: 1 },
      { timestamp: iso(start - minute), count: 1 },
      { timestamp: iso(start), count: 2 },
    ]);
    expect(meta).toMatchObject({ truncated: false });
  });
});

describe('one reading of the clock per run', () => {
  it('means another time in a later run of the same text', async () => {
    const count = async () => (await answerOf('f:edge_logs t:last@1m')).result.length;
    expect(await count()).toBe(3);
    service.clock.advanceMs(120_000);
    try {
      expect(await count()).toBe(0);
    } finally {
      service.clock.advanceMs(-120_000);
    }
  });
});

describe('refusals', () => {
  it.each([
    ['metadata.status:>=', 400, 'lql.syntax', 19],
    ['f:edge_logs c:foo', 400, 'lql.syntax', 13],
    ['f:edge_logs t:5', 400, 'lql.syntax', 13],
    ['f:edge_logs c:count(*) s:id', 400, 'lql.syntax', 24],
    ['f:edge_logs status_code:200', 400, 'sql.unknown_name', 13],
    ['f:edge_logs s:statuscode', 400, 'sql.unknown_name', 15],
    ['f:edge_logs timestamp:soon', 400, 'sql.type', 13],
    ['f:edge_logs timestamp:~2026', 400, 'sql.type', 13],
    ['f:edge_logs m.x:99999999999999999999', 400, 'sql.type', 13],
  ])('%s: %d %s', async (lql, status, code, column) => {
    const { status: given, body } = await ask(lql);
    expect({ status: given, code: body.code }).toEqual({ status, code });
    expect(body.errors[0]).toMatchObject({ line: 1, column });
  });

  it.each(['P:5', 'P:9007199254740993', 'P:x..y', 'P:@>5', 'P:@>~x', '-P:~x', 's:P', 'c:max(P)', 'c:p50(P)'])(
    'takes paths of 100 names and refuses longer ones: %s',
    async (clause) => {
      const of = (names: number) => `f:edge_logs ${clause.replace('P', `m${'.a'.repeat(names - 1)}`)}`;
      expect((await ask(of(100))).status).toBe(200);
      for (const names of [101, 20_000]) {
        const { status, body } = await ask(of(names));
        expect({ status, code: body.code }).toEqual({ status: 400, code: 'sql.too_complex' });
      }
    },
  );

  it('names the table and its columns where a path begins with none of them', async () => {
    const { body } = await ask('f:edge_logs event_mesage:x');
    expect(body.detail).toContain('edge_logs has no column');
    expect(body.errors[0]).toMatchObject({ nearest: 'event_message' });
  });

  it('of a pattern that is none is an answer, not a failure', async () => {
    const { status, body } = await ask('f:edge_logs ~(');
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'sql.data' });
  });
});
