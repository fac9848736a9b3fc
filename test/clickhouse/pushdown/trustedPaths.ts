import type { JsonObject } from '../../../src/core/jsonValue.ts';
import { parseJson } from '../../../src/core/losslessJson.ts';
import { hotCells } from '../../../src/ingest/hotCells.ts';
import { builtinSources } from '../../../src/sources/builtin.ts';
import { pathKey } from '../../../src/sources/source.ts';
import { oddEvents } from './oddEvents.ts';
import type { GivenEvent } from './pushdownStore.ts';

/** A path with a typed column of `edge_logs`, and queries whose answers are wrong if their statements do not trust it. */
export interface TrustedPath {
  readonly path: readonly string[];
  readonly grouped: string;
  /** Only its filter reads the path, and leaves the irregular events out. */
  readonly filtered: string;
  /** Only its order reads the path, and puts the irregular events behind its limit; null for no such order. */
  readonly ordered: string | null;
}

const trusted = (path: readonly string[], expr: string, isOrdered = false): TrustedPath => ({
  path,
  grouped: `select (${expr}) as k, count(*) as n from sources.edge_logs as t group by k order by k`,
  filtered: `select count(*) as n from sources.edge_logs as t where (${expr}) is not null`,
  ordered: isOrdered ? `select t.id from sources.edge_logs as t order by (${expr}) desc limit 20` : null,
});

export const trustedPaths: readonly TrustedPath[] = [
  trusted(['request'], 'nullif(t.metadata.request is null, true)'),
  trusted(['request', 'method'], 't.metadata.request.method', true),
  trusted(['request', 'headers'], 'safe_cast(t.metadata.request.headers.a as string)'),
  trusted(['response'], 'nullif(t.metadata.response is null, true)'),
  trusted(['response', 'status_code'], 't.metadata.response.status_code'),
  trusted(['response', 'origin_time'], 't.metadata.response.origin_time'),
];

/** A statement that takes every event for regular. */
export function withoutTrust(sql: string): string {
  return sql.replaceAll(/hasAny\(irregular, \[(?:'(?:[^'\\]|\\.)*'(?:, )?)*\]\)/g, 'false');
}

/** A statement whose filters leave out irregular events like any other. */
export function withoutTrustOfFilters(sql: string): string {
  const [, head = '', filters = '', tail = ''] =
    /^([\s\S]*\nWHERE )([\s\S]*?)((?:\n(?:GROUP|ORDER|LIMIT)[\s\S]*)?)$/.exec(sql) ?? [];
  return head === '' ? sql : `${head}${withoutTrust(filters)}${tail}`;
}

/** A statement that does not put the events that fail a check first. */
export function withoutFailedFirst(sql: string): string {
  return sql.replace(/\nORDER BY out_check DESC, /, '\nORDER BY ');
}

const edgeLogs = builtinSources.find(({ name }) => name === 'edge_logs');

/**
 * Events of which some are irregular at this path and those below it, and none at another one, so that no other trusted
 * path tells a query of them.
 */
export function eventsIrregularAt(path: readonly string[]): readonly GivenEvent[] {
  const below = pathKey(path).slice(0, -1);
  const all = oddEvents(5, 3_000, false).map((event) => ({ event, irregular: irregularPaths(event) }));
  const irregular = all.filter(({ irregular: at }) => at.length > 0 && at.every((each) => each.startsWith(below)));
  const regular = all.filter(({ irregular: at }) => at.length === 0);
  return [...irregular.slice(0, 60), ...regular.slice(0, 40)].map(({ event }) => event);
}

function irregularPaths({ metadata }: GivenEvent): readonly string[] {
  const parsed = metadata === null ? null : (parseJson(metadata) as JsonObject);
  return hotCells(parsed, edgeLogs?.hotColumns ?? []).irregular;
}
