import type { JsonObject } from '../../../src/core/jsonValue.ts';
import { parseJson } from '../../../src/core/losslessJson.ts';
import { hotCells } from '../../../src/ingest/hotCells.ts';
import { builtinSources } from '../../../src/sources/builtin.ts';
import { pathKey } from '../../../src/sources/source.ts';
import { oddEvents } from './oddEvents.ts';
import type { GivenEvent } from './pushdownStore.ts';

/** A path with a typed column of `edge_logs`, and a query whose answer is wrong if its statement does not trust it. */
export interface TrustedPath {
  readonly path: readonly string[];
  readonly text: string;
}

const grouped = (expr: string): string =>
  `select (${expr}) as k, count(*) as n from sources.edge_logs as t group by k order by k`;

export const trustedPaths: readonly TrustedPath[] = [
  { path: ['request'], text: grouped('t.metadata.request is null') },
  { path: ['request', 'method'], text: grouped('t.metadata.request.method') },
  { path: ['request', 'headers'], text: grouped('safe_cast(t.metadata.request.headers.a as string)') },
  { path: ['response'], text: grouped('t.metadata.response is null') },
  { path: ['response', 'status_code'], text: grouped('t.metadata.response.status_code') },
  { path: ['response', 'origin_time'], text: grouped('t.metadata.response.origin_time') },
];

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
