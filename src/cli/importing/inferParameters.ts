import { ServiceError } from '../../core/errors.ts';
import { compileStored } from '../../googlesql/compile.ts';
import type { ParameterType } from '../../googlesql/resolve/parameterValue.ts';
import { walkRelation } from '../../googlesql/resolve/traverse.ts';
import type { ResolvedQuery } from '../../googlesql/resolve/tree.ts';
import { tokenize } from '../../googlesql/syntax/lexer.ts';
import { LineMap } from '../../googlesql/syntax/lineMap.ts';
import { NoticeList } from '../../googlesql/syntax/notice.ts';
import { parametersIn } from '../../googlesql/syntax/parametersIn.ts';
import type { Source } from '../../sources/source.ts';

export interface InferredParameter {
  readonly name: string;
  readonly type: ParameterType;
  /** Whether the query compares it with the empty string, so that an empty value means something. */
  readonly allowEmpty: boolean;
}

/** Types to try if STRING does not compile, the likeliest first. */
const otherTypes: readonly ParameterType[] = ['timestamp', 'int64', 'float64', 'bool', 'date'];

/** Most compilations for one query. */
const compilationsMax = 2000;

type Types = ReadonlyMap<string, ParameterType>;

/**
 * The parameters of a query, with the types that their use requires. All are strings, as in the exporting service, if
 * the query compiles so. Otherwise, tries other types until it compiles or its first error moves no further. A string
 * that the query implicitly reads as a time or a date becomes a `timestamp` or `date`, so that an error about a bad value
 * names the parameter.
 */
export function inferParameters(query: string, sources: ReadonlyMap<string, Source>): readonly InferredParameter[] {
  const names = parametersIn(query).map(({ name }) => name);
  const empty = comparedWithEmpty(query);
  const types = withTimes(query, compilingTypes(query, names, sources), sources);
  return names.map((name) => {
    const type = types.get(name) ?? 'string';
    return { name, type, allowEmpty: type === 'string' && empty.has(name.toLowerCase()) };
  });
}

function compilingTypes(query: string, names: readonly string[], sources: ReadonlyMap<string, Source>): Types {
  let types: Types = new Map(names.map((name): [string, ParameterType] => [name, 'string']));
  let best = progress(query, types, sources);
  for (let count = 1; best < Number.POSITIVE_INFINITY && count < compilationsMax; ) {
    const before = best;
    const from = types;
    for (const [name, type] of names.flatMap((each) => otherTypes.map((of) => [each, of] as const))) {
      if (from.get(name) === type) continue;
      const changed = new Map(from).set(name, type);
      const reached = progress(query, changed, sources);
      count++;
      if (reached > best) {
        best = reached;
        types = changed;
      }
    }
    if (best === before) break;
  }
  return types;
}

function withTimes(query: string, types: Types, sources: ReadonlyMap<string, Source>): Types {
  const compiled = compiledOrPlace(query, types, sources);
  if (typeof compiled === 'number') return types;
  const read = new Map<string, Set<string>>();
  walkRelation(compiled.relation, {
    expr(expr) {
      // Only implicit casts.
      if (expr.kind !== 'cast' || expr.value.kind !== 'parameter' || expr.label !== 'a value') return;
      const { name } = expr.value;
      read.set(name, (read.get(name) ?? new Set()).add(expr.type.kind));
    },
  });
  let chosen = types;
  for (const [name, kinds] of read) {
    const type = kinds.has('TIMESTAMP') ? 'timestamp' : 'date';
    if (kinds.size !== 1 || !(kinds.has('TIMESTAMP') || kinds.has('DATE')) || types.get(name) !== 'string') continue;
    const changed = new Map(chosen).set(name, type);
    if (typeof compiledOrPlace(query, changed, sources) !== 'number') chosen = changed;
  }
  return chosen;
}

/** How far the query compiles: infinity if completely, else the place of its first error. */
function progress(query: string, types: Types, sources: ReadonlyMap<string, Source>): number {
  const compiled = compiledOrPlace(query, types, sources);
  return typeof compiled === 'number' ? compiled : Number.POSITIVE_INFINITY;
}

/** The compiled query, or a number that grows with the place of its first error. */
function compiledOrPlace(
  query: string,
  parameters: Types,
  sources: ReadonlyMap<string, Source>,
): ResolvedQuery | number {
  try {
    return compileStored(query, { sources, parameters });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const [{ line = 0, column = 0 } = {}] = error.errors;
    return line * 1_000_000 + column;
  }
}

/** Lower-case names of the parameters that the query compares with `''` by `=`, `!=` or `<>`, on either side. */
function comparedWithEmpty(query: string): ReadonlySet<string> {
  let tokens: ReturnType<typeof tokenize>;
  try {
    tokens = tokenize(query, new LineMap(query), new NoticeList());
  } catch (error) {
    if (error instanceof ServiceError) return new Set();
    throw error;
  }
  const found = new Set<string>();
  for (const [i, operator] of tokens.entries()) {
    if (operator.kind !== 'symbol' || !['=', '!=', '<>'].includes(operator.text)) continue;
    const sides = [tokens[i - 1], tokens[i + 1]];
    const parameter = sides.find((side) => side?.kind === 'parameter');
    const isEmpty = sides.some((side) => side?.kind === 'string' && side.value === '');
    if (parameter !== undefined && isEmpty) found.add(parameter.value.toLowerCase());
  }
  return found;
}
