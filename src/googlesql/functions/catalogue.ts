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

/** The names of all functions of the dialect. */
export type FunctionName = (typeof declarations)[number]['name'];

/** A declaration of the catalogue, with its name as a literal. */
export type CatalogueEntry = FunctionDeclaration & { readonly name: FunctionName };

/** Every function by its lower-case name, including operators (`$add`). */
export const functionCatalogue: ReadonlyMap<string, CatalogueEntry> = new Map(
  declarations.map((declaration) => [declaration.name, declaration]),
);

/** Finds a function by name, in any case. Callers cannot name operators. */
export function findFunction(name: string): CatalogueEntry | undefined {
  return name.startsWith('$') ? undefined : functionCatalogue.get(name.toLowerCase());
}

/** The names of operators and special forms, which only the resolver can call. */
export type OperatorName = Extract<FunctionName, `$${string}`>;

/** The function of an operator. */
export function operatorFunction(name: OperatorName): CatalogueEntry {
  const found = functionCatalogue.get(name);
  if (found === undefined) throw new Error(`no operator ${name}`);
  return found;
}

/** The function with the name most similar to `name`, for "Did you mean". */
export function nearestFunction(name: string): string | undefined {
  return nearestName(name, callableNames);
}

/** The error message for a function of GoogleSQL that the dialect lacks, or undefined. */
export function refusalOf(name: string): string | undefined {
  return refusedFunctions.get(name.toLowerCase());
}

const callableNames: readonly string[] = [...functionCatalogue.keys()].filter((name) => !name.startsWith('$'));
