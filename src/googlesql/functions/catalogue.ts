import { nearestName } from '../../core/nearestName.ts';
import { aggregateFunctions } from './aggregates.ts';
import { arrayFunctions } from './arrays.ts';
import { conditionalFunctions } from './conditionals.ts';
import { datetimeFunctions } from './datetimes.ts';
import { hashFunctions } from './hashes.ts';
import { jsonFunctions } from './json.ts';
import { mathFunctions } from './maths.ts';
import { networkFunctions } from './networks.ts';
import { operatorFunctions } from './operators.ts';
import { refusedFunctions } from './refused.ts';
import { regexpFunctions } from './regexps.ts';
import type { FunctionDeclaration } from './signature.ts';
import { stringFunctions } from './strings.ts';
import { timestampFunctions } from './timestamps.ts';
import { windowFunctions } from './windows.ts';

const declarations = [
  ...operatorFunctions,
  ...aggregateFunctions,
  ...windowFunctions,
  ...conditionalFunctions,
  ...mathFunctions,
  ...stringFunctions,
  ...regexpFunctions,
  ...jsonFunctions,
  ...timestampFunctions,
  ...datetimeFunctions,
  ...arrayFunctions,
  ...hashFunctions,
  ...networkFunctions,
] as const;

/** The names of all functions; what is not here does not exist in the dialect. */
export type FunctionName = (typeof declarations)[number]['name'];

/** A declaration of the catalogue, with its name as a literal. */
export type CatalogueEntry = FunctionDeclaration & { readonly name: FunctionName };

/** Every function by its lower-case name, operators (`$add`) included. */
export const functionCatalogue: ReadonlyMap<string, CatalogueEntry> = new Map(
  declarations.map((declaration) => [declaration.name, declaration]),
);

/** The function of a name as a caller writes it, in any case; operators cannot be named. */
export function findFunction(name: string): CatalogueEntry | undefined {
  return name.startsWith('$') ? undefined : functionCatalogue.get(name.toLowerCase());
}

/** The names of operators and special forms, which only the resolver can call. */
export type OperatorName = Extract<FunctionName, `$${string}`>;

/** The function that stands for an operator. */
export function operatorFunction(name: OperatorName): CatalogueEntry {
  const found = functionCatalogue.get(name);
  if (found === undefined) throw new Error(`no operator ${name}`);
  return found;
}

/** The function whose name is most like `name`, for "did you mean". */
export function nearestFunction(name: string): string | undefined {
  return nearestName(name, callableNames);
}

/** The sentence for a function of GoogleSQL that is not available here, if it is one. */
export function refusalOf(name: string): string | undefined {
  return refusedFunctions.get(name.toLowerCase());
}

const callableNames: readonly string[] = [...functionCatalogue.keys()].filter((name) => !name.startsWith('$'));
