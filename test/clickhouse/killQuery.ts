import { refusal } from './exceptions.ts';

/** A query that runs or waits for the engine. */
export interface RunningQuery {
  /** The engine's id of it. */
  readonly runId: string;
  readonly queryId: string;
  readonly user: string;
  readonly query: string;
}

const condition =
  /^\s*KILL\s+QUERY\s+WHERE\s+query_id\s*(?:=\s*('[^'\\]*')|IN\s*\(([^)\\]*)\))\s*(SYNC|ASYNC)?\s*(?:FORMAT\s+(?:TabSeparated|TSV|Null))?\s*$/i;

/**
 * Runs KILL QUERY: calls `kill` for each running query that the statement names, and returns the answer in TabSeparated. Only
 * a condition on query_id is understood. Everyone may end their own queries, the default user all.
 */
export function killQueries(
  statement: string,
  user: string,
  running: readonly RunningQuery[],
  kill: (query: RunningQuery) => void,
): string {
  const [, one, several, mode = 'ASYNC'] = condition.exec(statement) ?? [];
  const list = one ?? several;
  if (list === undefined) {
    throw refusal(48, 'NOT_IMPLEMENTED', "The stand-in knows KILL QUERY WHERE query_id = '…' [SYNC|ASYNC] only");
  }
  const ids = new Set([...list.matchAll(/'([^']*)'/g)].map(([, id]) => id));
  const found = running.filter(
    ({ queryId, user: owner }) => ids.has(queryId) && (user === 'default' || user === owner),
  );
  for (const query of found) kill(query);
  const status = mode.toUpperCase() === 'SYNC' ? 'finished' : 'waiting';
  return found
    .map(({ queryId, user: owner, query }) => `${[status, queryId, owner, query].map(escaped).join('\t')}\n`)
    .join('');
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n');
}
