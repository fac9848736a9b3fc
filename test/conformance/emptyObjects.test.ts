import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileCaller } from '../../src/googlesql/compile.ts';
import type { QueryEngine } from '../../src/ports/queryEngine.ts';
import type { StorageHarness } from '../../src/ports/storageHarness.contract.ts';
import { builtinSources } from '../../src/sources/builtin.ts';
import { engineUnderTest, never, onEngine } from '../support/enginesUnderTest.ts';
import { ingestOf } from './ingestOf.ts';

/**
 * An empty array where an object is declared is a missing object (googlesql.md, section 2), also
 * where typed columns answer for it: the alias of LEFT JOIN UNNEST is NULL then, not the array.
 */
const events = [
  { id: 'a', metadata: { request: { method: 'GET' }, response: { status_code: 200 } } },
  { id: 'b', metadata: { request: [], response: null } },
  { id: 'c', metadata: { response: {} } },
  { id: 'd' },
];

const startMicros = Date.UTC(2026, 4, 1, 10) * 1000;
const stored = 'with edge_logs as (select id, timestamp, event_message, metadata from sources.edge_logs) select 1';

describe.each([{ place: 'active file' }, { place: 'sealed file' }])(
  onEngine('empty arrays as objects in an $place'),
  ({ place }) => {
    let test: StorageHarness;
    let engine: QueryEngine;

    beforeAll(async () => {
      test = await engineUnderTest.open();
      test.clock.setMicros(startMicros + 3_600_000_000);
      const lines = events.map((event, i) => ({
        ...event,
        project: 'p',
        timestamp: startMicros + i * 1_000_000,
        event_message: 'm',
      }));
      await ingestOf(test)('edge_logs', Buffer.from(JSON.stringify(lines)));
      if (place === 'sealed file') await test.age();
      engine = test.engine.queries;
    });
    afterAll(async () => {
      await test.close();
    });

    it.each<[sql: string, rows: unknown[][]]>([
      [
        'select id, r from edge_logs left join unnest(metadata) m left join unnest(m.request) r order by id',
        [
          ['a', { method: 'GET' }],
          ['b', null],
          ['c', null],
          ['d', null],
        ],
      ],
      [
        'select id, r is null, r.method from edge_logs left join unnest(metadata.request) r order by id',
        [
          ['a', false, 'GET'],
          ['b', true, null],
          ['c', true, null],
          ['d', true, null],
        ],
      ],
      [
        'select r, count(*) as n from edge_logs left join unnest(coalesce(metadata.response, [])) r group by r order by n, r.status_code desc',
        [
          [{ status_code: 200 }, 1],
          [{}, 1],
          [null, 2],
        ],
      ],
      ['select id from edge_logs cross join unnest(metadata.request) r order by id', [['a']]],
      [
        'select id, metadata.request[safe_offset(0)] as r, metadata.request[safe_ordinal(1)].method as m, metadata.request[safe_offset(0)] is null as n from edge_logs order by id',
        [
          ['a', { method: 'GET' }, 'GET', false],
          ['b', null, null, true],
          ['c', null, null, true],
          ['d', null, null, true],
        ],
      ],
    ])('%s', async (sql, rows) => {
      const query = compileCaller(sql, stored, {
        sources: new Map(builtinSources.map((source) => [source.name, source])),
        parameters: new Map(),
      });
      const request = {
        query,
        parameters: new Map(),
        projects: null,
        redaction: null,
        nowMicros: test.clock.nowMicros(),
        rowsMax: 100,
        bytesMax: 2 ** 20,
        profile: 'plain' as const,
      };
      const result = await engine.run(request, never);
      const got = JSON.parse(`[${Buffer.from(result.rows).toString()}]`) as Record<string, unknown>[];
      expect(got.map((row) => Object.values(row))).toEqual(rows);
    });
  },
);
