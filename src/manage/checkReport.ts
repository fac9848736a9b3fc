import { inTurns, Pause, type Turns } from '../core/concurrency/turns.ts';
import { type ErrorItem, ServiceError } from '../core/errors.ts';
import type { EngineLimits } from '../googlesql/engineLimits.ts';
import { parametersIn } from '../googlesql/syntax/parametersIn.ts';
import { describeInSteps, type EndpointDescription } from '../invoke/describe.ts';
import type { Source } from '../sources/source.ts';
import { readDefinition } from './definitionInput.ts';
import { type OwnEndpointNames, refuseOwnNames } from './ownEndpoints.ts';

/** A parameter that a query uses, with its first place; `type` is null if it is not declared. */
export interface FoundParameter {
  readonly name: string;
  readonly line: number;
  readonly column: number;
  readonly type: string | null;
}

/** The result of checking a definition that is not stored. */
export interface CheckReport {
  /** The error message; null if the definition is valid. */
  readonly problem: string | null;
  readonly errors: readonly ErrorItem[];
  readonly parameters: readonly FoundParameter[];
  /** Null if the definition is not valid. */
  readonly description: EndpointDescription | null;
}

/** Checks a definition like a new one, without storing it or comparing it with a current one. */
export async function checkReport(
  input: unknown,
  id: string,
  sources: ReadonlyMap<string, Source>,
  own: OwnEndpointNames,
  limits?: EngineLimits,
  turns?: Turns,
): Promise<CheckReport> {
  const parameters = foundParameters(input);
  try {
    const { definition } = readDefinition(input, id);
    refuseOwnNames(definition, own);
    const description = await inTurns(describeInSteps(definition, sources, limits), new Pause(turns));
    return { problem: null, errors: [], parameters, description };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'definition.invalid') throw error;
    return { problem: error.message, errors: error.errors, parameters, description: null };
  }
}

function foundParameters(input: unknown): readonly FoundParameter[] {
  const { query, parameters } = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>;
  if (typeof query !== 'string') return [];
  const types = declaredTypes(parameters);
  return parametersIn(query).map((found) => ({ ...found, type: types.get(found.name.toLowerCase()) ?? null }));
}

/** By lower-case name, because the case of `@names` does not matter. */
function declaredTypes(parameters: unknown): ReadonlyMap<string, string> {
  if (typeof parameters !== 'object' || parameters === null) return new Map();
  return new Map(
    Object.entries(parameters).flatMap(([name, fields]: [string, unknown]) => {
      const type = typeof fields === 'object' && fields !== null && 'type' in fields ? fields.type : undefined;
      return typeof type === 'string' ? [[name.toLowerCase(), type] as const] : [];
    }),
  );
}
