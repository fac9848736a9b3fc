import { ServiceError } from '../core/errors.ts';
import type { CheckDefinition } from '../endpoints/definition.ts';
import type { CompileContext } from '../googlesql/compile.ts';
import type { ResolvedQuery } from '../googlesql/resolve/tree.ts';
import type { Source } from '../sources/source.ts';

/**
 * The check of a definition before it is stored: its query compiles, and uses exactly the parameters
 * that it declares (contract, section 3). Throws `definition.invalid` with the place in the query.
 */
export function checkDefinition(
  compileStored: (text: string, context: CompileContext) => ResolvedQuery,
  sources: ReadonlyMap<string, Source>,
): CheckDefinition {
  return ({ name, query, parameters }) => {
    const declared = new Map(parameters.map((parameter) => [parameter.name, parameter.type] as const));
    const compiled = compiledOrRefused(name, () => compileStored(query, { sources, parameters: declared }));
    const used = new Set([...compiled.parameters].map((parameter) => parameter.toLowerCase()));
    const unused = [...declared.keys()].filter((parameter) => !used.has(parameter.toLowerCase()));
    if (unused.length > 0) {
      throw new ServiceError(
        'definition.invalid',
        `The definition ${name} declares ${unused.map((parameter) => `@${parameter}`).join(', ')}, which its query never uses.`,
        { errors: unused.map((parameter) => ({ parameter, message: 'The query never uses this parameter.' })) },
      );
    }
  };
}

function compiledOrRefused(name: string, compile: () => ResolvedQuery): ResolvedQuery {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new ServiceError(
      'definition.invalid',
      `The query of the definition ${name} does not compile. ${error.message}`,
      {
        errors: error.errors,
        cause: error,
      },
    );
  }
}
