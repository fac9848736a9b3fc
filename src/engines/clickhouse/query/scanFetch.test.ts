import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileStored } from '../../../googlesql/compile.ts';
import { QueryPlanner } from '../../../googlesql/plan/queryPlan.ts';
import type { ScanBounds } from '../../../googlesql/plan/scanBounds.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import { fetchBreach } from './fetchCheck.ts';
import { fetchStatement } from './scanFetch.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));
const place = { database: 'logmill', cluster: null };

const compile = (sql: string) => compileStored(sql, { sources, parameters: new Map() });

function boundsOf(query: ReturnType<typeof compile>, projects: readonly string[] | null): ScanBounds {
  const plan = new QueryPlanner().plan({ query, parameters: new Map(), projects, redaction: null, nowMicros: 0 });
  const [bounds] = plan.bounds.values();
  if (bounds === undefined) throw new Error('the query has no scan');
  return bounds;
}

const fetch = (bounds: ScanBounds) => ({
  bounds,
  stored: new Set(['id', 'metadata']),
  trusted: new Set<string>(),
  conditions: [],
  newest: null,
});

describe('the SELECT of a scan', () => {
  it('names only the columns that the rest reads, and the bounds of the query', () => {
    const bounds = boundsOf(compile("select id from sources.edge_logs where timestamp >= '2026-01-01'"), ['p']);
    expect(fetchStatement(place, fetch(bounds)).sql).toBe(
      [
        'SELECT `id` AS out_id, `metadata` AS out_metadata, toString(project) AS out_project, toUnixTimestamp64Micro(timestamp) AS out_timestamp',
        'FROM `logmill`.`edge_logs`',
        "WHERE project = 'p' AND timestamp >= fromUnixTimestamp64Micro(toInt64(1767225600000000), 'UTC')",
      ].join('\n'),
    );
  });

  it('passes the isolation check for its projects, whatever their names, and for no others', () => {
    const query = compile('select id from sources.edge_logs');
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ unit: 'binary', minLength: 1 }), { minLength: 1, maxLength: 3 }),
        (projects) => {
          const { sql } = fetchStatement(place, fetch(boundsOf(query, projects)));
          const tables = new Set(['logmill.edge_logs']);
          expect(fetchBreach(sql, tables, projects)).toBeNull();
          expect(fetchBreach(sql, tables, projects.slice(1))).not.toBeNull();
        },
      ),
    );
  });
});
