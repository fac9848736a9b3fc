import type { CallerTable } from '../googlesql/callerTables.ts';
import { reservedWords } from '../googlesql/syntax/keywords.ts';
import { layOut } from '../googlesql/syntax/layOut.ts';
import type { Identifier, Query, SyntaxNode } from '../googlesql/syntax/nodes.ts';
import { printQuery } from '../googlesql/syntax/printer.ts';
import { buildBuckets, isChart } from './buildChart.ts';
import { buildList } from './buildList.ts';
import { chooseTable } from './chooseTable.ts';
import { parseLql } from './parse.ts';
import { printClause } from './print.ts';
import type { Clause } from './query.ts';

/** A query in LQL as GoogleSQL, and its clauses. */
export interface ConvertedLql {
  readonly sql: string;
  readonly clauses: readonly { readonly clause: Clause; readonly text: string }[];
}

/**
 * Converts an LQL text to the GoogleSQL text that has the same rows over these tables. A chart of more periods than
 * allowed rows keeps the oldest in GoogleSQL, and the newest in LQL. Throws `lql.*` with line and column.
 */
export function lqlToSql(text: string, tables: readonly CallerTable[]): ConvertedLql {
  const query = parseLql(text);
  const table = chooseTable(query, tables);
  const tree = isChart(query) ? buildBuckets(query, table) : buildList(query, table);
  return {
    sql: layOut(printQuery(plainer(tree))),
    clauses: query.clauses.map((clause) => ({ clause, text: printClause(clause) })),
  };
}

/** The same query without backticks and aliases that it does not need, so that people can read its text. */
function plainer(query: Query): Query {
  return mapped(query) as Query;
}

function mapped(value: unknown, isCalled = false): unknown {
  if (Array.isArray(value)) return value.map((each) => mapped(each, isCalled));
  if (!isNode(value)) return value;
  const members = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      mapped(member, value.kind === 'FunctionCall' && name === 'name'),
    ]),
  );
  if (value.kind === 'Identifier') return { ...members, quoted: !isPlain(value.name, isCalled) };
  if (value.kind !== 'TableReference') return members;
  const isOwnName = value.alias !== undefined && value.alias.name === value.path.at(-1)?.name;
  return isOwnName ? { ...members, alias: undefined } : members;
}

function isNode(value: unknown): value is SyntaxNode | Identifier {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

/** Without backticks, `current_date` and the like are calls. */
function isPlain(name: string, isCalled: boolean): boolean {
  const isName = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !reservedWords.has(name.toUpperCase());
  return isName && (isCalled || !/^current_/i.test(name));
}
