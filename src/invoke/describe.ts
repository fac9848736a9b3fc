import { atOnce } from '../core/concurrency/turns.ts';
import { ServiceError } from '../core/errors.ts';
import type { EndpointDefinition } from '../endpoints/definition.ts';
import type { ParameterDeclaration } from '../endpoints/parameterDeclaration.ts';
import { type CallerTable, type CompileContext, callerTablesInSteps, storedInSteps } from '../googlesql/compile.ts';
import type { EngineLimits } from '../googlesql/engineLimits.ts';
import { projectParameters } from '../googlesql/plan/projectParameters.ts';
import type { Notice, ResolvedQuery } from '../googlesql/resolve/tree.ts';
import type { SqlType } from '../googlesql/types.ts';
import type { Source } from '../sources/source.ts';
import { alteredNoticesOfDefinition } from './alteredNotice.ts';

/** What a definition promises to those who call it. */
export interface EndpointDescription {
  /** Of the stored query's rows, in their order. */
  readonly columns: readonly { readonly name: string; readonly type: SqlType }[];
  readonly parameters: readonly ParameterDeclaration[];
  /** Those that name a project whose events are read; a token that is restricted to projects must name one of its own. */
  readonly projectParameters: ReadonlySet<string>;
  /** The tables that queries of callers may read; none where the definition does not accept such queries. */
  readonly tables: readonly CallerTable[];
  /** Rows of one answer of the stored query. */
  readonly rowsMax: number;
  /** What there is to say of the query to whoever writes it. */
  readonly notices: readonly Notice[];
}

type Described = Pick<EndpointDefinition, 'name' | 'query' | 'parameters' | 'sandbox' | 'maxRows' | 'cacheSeconds'>;

/** A description that is made step by step, as `CompileSteps`: others may have a turn between them. */
export type DescribeSteps = Generator<undefined, EndpointDescription>;

/** As `describeInSteps`, in one turn. */
export function describeEndpoint(
  definition: Described,
  sources: ReadonlyMap<string, Source>,
  limits?: EngineLimits,
): EndpointDescription {
  return atOnce(describeInSteps(definition, sources, limits));
}

/**
 * Compiles a definition and describes it. Nothing is kept. Throws `definition.invalid`, with the place in the query, where
 * the query does not compile or does not use exactly the declared parameters (contract, section 3).
 */
export function* describeInSteps(
  { name, query, parameters, sandbox, maxRows, cacheSeconds }: Described,
  sources: ReadonlyMap<string, Source>,
  limits?: EngineLimits,
): DescribeSteps {
  const context: CompileContext = {
    sources,
    parameters: new Map(parameters.map((parameter) => [parameter.name, parameter.type] as const)),
    isCached: cacheSeconds > 0,
    limits,
  };
  const compiled = yield* compiledOrRefused(name, storedInSteps(query, context));
  yield;
  const used = new Set([...compiled.parameters].map((parameter) => parameter.toLowerCase()));
  const unused = parameters.filter((parameter) => !used.has(parameter.name.toLowerCase()));
  if (unused.length > 0) {
    throw new ServiceError(
      'definition.invalid',
      `The definition ${name} declares ${unused.map((parameter) => `@${parameter.name}`).join(', ')}, which its query never uses.`,
      {
        errors: unused.map((parameter) => ({
          parameter: parameter.name,
          message: 'The query never uses this parameter.',
        })),
      },
    );
  }
  const projects = projectParameters(compiled.relation).flatMap((names) => [...names]);
  yield;
  const tables = sandbox ? yield* callerTablesInSteps(query, context) : [];
  yield;
  return {
    columns: compiled.columns.map((output) => ({ name: output.name, type: output.column.type })),
    parameters,
    projectParameters: new Set(projects),
    tables,
    rowsMax: Math.min(maxRows, compiled.outerLimit ?? maxRows),
    notices: [...compiled.notices, ...alteredNoticesOfDefinition(compiled, { query, parameters, sandbox }, sources)],
  };
}

function* compiledOrRefused(
  name: string,
  steps: Generator<undefined, ResolvedQuery>,
): Generator<undefined, ResolvedQuery> {
  try {
    return yield* steps;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new ServiceError(
      'definition.invalid',
      `The query of the definition ${name} does not compile. ${error.message}`,
      { errors: error.errors, cause: error },
    );
  }
}
