import type { ParameterDeclaration } from '../endpoints/parameterDeclaration.ts';
import { readsElements } from '../googlesql/plan/elementReads.ts';
import { outputLineage } from '../googlesql/plan/lineage.ts';
import { parametersOnRows } from '../googlesql/plan/parametersOnRows.ts';
import { pathParameters } from '../googlesql/plan/pathParameters.ts';
import type { ResolvedQuery } from '../googlesql/resolve/tree.ts';
import { looseParameters } from '../googlesql/syntax/looseParameters.ts';
import { parseQuery } from '../googlesql/syntax/parser.ts';
import { isValueMember } from '../redact/namedValues.ts';
import type { Source } from '../sources/source.ts';
import type { BoundCall } from './bind.ts';

interface ScannedEndpoint {
  /** The text of the stored query. */
  readonly query: string;
  readonly parameters: readonly Pick<ParameterDeclaration, 'name' | 'type' | 'allowed'>[];
}

/**
 * Whether the query must read only redacted events while redaction is in force. That holds for caller queries, and for
 * stored queries that examine event text with a value that the caller chose: either could reveal bit by bit what the
 * rows hide. An absent parameter examines nothing, and one with listed values reveals only what its author wrote. A
 * parameter that is the path of a JSON function always needs redaction at the scan, because only there is it known which
 * member it reads, and so whether its name makes it personal. So does a column whose values the members or elements beside them name.
 */
export function needsRedactionAtScan(
  { callerQuery, parameters: values }: Pick<BoundCall, 'callerQuery' | 'parameters'>,
  endpoint: ScannedEndpoint,
  query: ResolvedQuery,
  sources: ReadonlyMap<string, Source>,
): boolean {
  if (callerQuery !== null || readsNamedValues(query)) return true;
  const used = endpoint.parameters.filter(({ name }) => query.parameters.has(name));
  if (used.some(({ type }) => type === 'regex')) return true;
  const given = used.filter(({ name }) => (values.get(name)?.kind ?? 'null') !== 'null');
  if (given.length === 0) return false;
  const paths = pathParameters(query.relation);
  if (given.some(({ name }) => paths.has(name))) return true;
  const chosen = given.filter(({ type, allowed }) => type !== 'bool' && allowed === null);
  if (chosen.length === 0) return false;
  const looking = lookingParameters(endpoint, query, sources);
  return chosen.some(({ name }) => looking.has(name.toLowerCase()));
}

/** By query, whether it reads values that are named beside them. */
const readingNamed = new WeakMap<ResolvedQuery, boolean>();

/**
 * Whether a column is computed from a member such as `value` in `{"name": "Cookie", "value": "…"}`, or from an element of
 * an array such as `["Cookie", "…"]`. Only the text beside the value tells whether it is personal, and the finished rows may
 * not contain that text.
 */
export function readsNamedValues(query: ResolvedQuery): boolean {
  const before = readingNamed.get(query);
  if (before !== undefined) return before;
  const found =
    outputLineage(query).some((paths) => paths.some(([, ...members]) => members.some(isValueMember))) ||
    readsElements(query);
  readingNamed.set(query, found);
  return found;
}

/**
 * By query, the answer for the latest stored text and project fields. A compiled query normally has only one of each.
 */
const known = new WeakMap<ResolvedQuery, { readonly key: string; readonly looking: ReadonlySet<string> }>();

/**
 * Names, in lower case, of the parameters that examine event text. Combines two independent analyses, of the resolved
 * tree and of the text, so that a mistake in one reveals nothing.
 */
function lookingParameters(
  endpoint: ScannedEndpoint,
  query: ResolvedQuery,
  sources: ReadonlyMap<string, Source>,
): ReadonlySet<string> {
  const projects = new Set(['project', ...[...sources.values()].flatMap(projectMember)]);
  const key = JSON.stringify([endpoint.query, [...projects].sort()]);
  const before = known.get(query);
  if (before?.key === key) return before.looking;
  const looking = new Set([
    ...[...parametersOnRows(query.relation)].map((name) => name.toLowerCase()),
    ...looseParameters(parseQuery(endpoint.query).query, { projects }),
  ]);
  known.set(query, { key, looking });
  return looking;
}

const projectMember = ({ projectField }: Source): readonly string[] =>
  projectField.kind === 'metadata' ? [projectField.member.toLowerCase()] : [];
