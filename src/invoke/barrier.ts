import type { ParameterDeclaration } from '../endpoints/parameterDeclaration.ts';
import { parametersOnRows } from '../googlesql/plan/parametersOnRows.ts';
import { pathParameters } from '../googlesql/plan/pathParameters.ts';
import type { ResolvedQuery } from '../googlesql/resolve/tree.ts';
import { looseParameters } from '../googlesql/syntax/looseParameters.ts';
import { parseQuery } from '../googlesql/syntax/parser.ts';
import type { Source } from '../sources/source.ts';
import type { BoundCall } from './bind.ts';

interface BarrierEndpoint {
  /** The text of the stored query. */
  readonly query: string;
  readonly parameters: readonly Pick<ParameterDeclaration, 'name' | 'type' | 'allowed'>[];
}

/**
 * Whether, with redaction in force, the query itself must see nothing but redacted events: a caller's own, and
 * a stored one that looks at texts of events with a value that the caller chose. Either could find out bit by
 * bit what its rows hide. A parameter that is absent looks at nothing, and one whose values the definition
 * lists says nothing but what its author wrote. One that is the path of a JSON function needs the barrier in any case:
 * which member it reads, and so whether that is personal by its name, is known only there.
 */
export function needsBarrier(
  { callerQuery, parameters: values }: Pick<BoundCall, 'callerQuery' | 'parameters'>,
  endpoint: BarrierEndpoint,
  query: ResolvedQuery,
  sources: ReadonlyMap<string, Source>,
): boolean {
  if (callerQuery !== null) return true;
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

/** By query, for the last stored text and fields of projects that it was asked with: one that is compiled has one of each as a rule. */
const known = new WeakMap<ResolvedQuery, { readonly key: string; readonly looking: ReadonlySet<string> }>();

/**
 * Names, in lower case, of the parameters that look at texts of events. Two readings that share nothing, of the
 * resolved tree and of the text, so that a mistake in one of them shows nobody anything.
 */
function lookingParameters(
  endpoint: BarrierEndpoint,
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
