import { atOnce } from '../core/concurrency/turns.ts';
import { ServiceError } from '../core/errors.ts';
import type { EndpointDefinition } from '../endpoints/definition.ts';
import type { ParameterDeclaration } from '../endpoints/parameterDeclaration.ts';
import { type CallerTable, callerTablesInSteps } from '../googlesql/callerTables.ts';
import { type CompileContext, storedInSteps } from '../googlesql/compile.ts';
import type { EngineLimits } from '../googlesql/engineLimits.ts';
import { columnsNeverNull } from '../googlesql/plan/neverNull.ts';
import { projectParameters } from '../googlesql/plan/projectParameters.ts';
import { tailedQuery } from '../googlesql/plan/tailQuery.ts';
import type { Notice, ResolvedQuery } from '../googlesql/resolve/tree.ts';
import type { SqlType } from '../googlesql/types.ts';
import type { Source } from '../sources/source.ts';
import { alteredNoticesOfDefinition } from './alteredNotice.ts';

/** The properties of a definition that its callers can rely on. */
export interface EndpointDescription {
  /** The columns of the stored query's rows, in order. */
  readonly columns: readonly {
    readonly name: string;
    readonly type: SqlType;
    /** Whether the value is never NULL, redacted or not. */
    readonly isNeverNull: boolean;
  }[];
  readonly parameters: readonly ParameterDeclaration[];
  /** Parameters that name a project whose events are read. A project-restricted token must give one of its projects. */
  readonly projectParameters: ReadonlySet<string>;
  /** Whether the new rows of the stored query can be followed. */
  readonly hasTail: boolean;
  /** The tables that caller queries may read; empty if the definition does not accept caller queries. */
  readonly tables: readonly CallerTable[];
  /** Maximum number of rows in an answer of the stored query. */
  readonly rowsMax: number;
  /** Notices for the author of the query. */
  readonly notices: readonly Notice[];
}

type Described = Pick<EndpointDefinition, 'name' | 'query' | 'parameters' | 'sandbox' | 'maxRows' | 'cacheSeconds'>;

/** A description made in steps, as `CompileSteps`, so that other work can run between them. */
export type DescribeSteps = Generator<undefined, EndpointDescription>;

/** Like `describeInSteps`, in one turn. */
export function describeEndpoint(
  definition: Described,
  sources: ReadonlyMap<string, Source>,
  limits?: EngineLimits,
): EndpointDescription {
  return atOnce(describeInSteps(definition, sources, limits));
}

/**
 * Compiles a definition and describes it without storing anything. Throws `definition.invalid`, with the position in
 * the query, if the query does not compile or does not use exactly the declared parameters (contract, section 3).
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
  const never = columnsNeverNull(compiled.relation);
  yield;
  const hasTail = !('construct' in tailedQuery(compiled));
  yield;
  const tables = sandbox ? yield* callerTablesInSteps(query, context) : [];
  yield;
  return {
    columns: compiled.columns.map(({ name: column, column: { type }, column: output }) => ({
      name: column,
      type,
      isNeverNull: never.isKnown(output),
    })),
    parameters,
    projectParameters: new Set(projects),
    hasTail,
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
