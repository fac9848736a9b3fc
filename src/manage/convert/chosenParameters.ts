import { ServiceError } from '../../core/errors.ts';
import { nearestName } from '../../core/nearestName.ts';
import type { ParameterType } from '../../googlesql/resolve/parameterValue.ts';
import type { ProposedParameter } from './proposedParameters.ts';

/** What somebody decided about a proposed parameter. What is absent stays as proposed. */
export interface ParameterChoice {
  readonly on?: boolean | undefined;
  /** The name that it gets in place of the proposed one. */
  readonly name?: string | undefined;
  readonly type?: ParameterType | undefined;
  readonly default?: string | undefined;
  /** A required parameter has no default. */
  readonly required?: boolean | undefined;
}

/** By the proposed names. */
export type ParameterChoices = Readonly<Record<string, ParameterChoice>>;

/**
 * The proposed parameters as they were chosen. Throws `parameter.invalid` if a choice is about none of them, or if two
 * parameters would have the same name.
 *
 * @param taken names of the parameters that the definition has already
 */
export function chosenParameters(
  proposed: readonly ProposedParameter[],
  choices: ParameterChoices,
  taken: readonly string[],
): readonly ProposedParameter[] {
  const byName = new Map(Object.entries(choices));
  const allowed = proposed.map(({ name }) => name);
  for (const name of byName.keys()) {
    if (allowed.includes(name)) continue;
    const nearest = nearestName(name, allowed);
    throw new ServiceError('parameter.invalid', `The query has no proposed parameter ${JSON.stringify(name)}.`, {
      errors: [
        { parameter: `parameters.${name.slice(0, 64)}`, allowed, ...(nearest === undefined ? {} : { nearest }) },
      ],
    });
  }
  const chosen = proposed.map((parameter) => withChoice(parameter, byName.get(parameter.name) ?? {}));
  refuseSameNames(chosen, taken);
  return chosen;
}

function withChoice(proposed: ProposedParameter, choice: ParameterChoice): ProposedParameter {
  const { name = proposed.name, on = proposed.isOn, required = false } = choice;
  const { type, description, default: value, ...constraints } = proposed.fields;
  const isSameType = choice.type === undefined || choice.type === type;
  const chosenDefault = choice.default ?? value;
  return {
    name,
    isOn: on,
    fields: {
      type: choice.type ?? type,
      ...(required ? { required: true } : chosenDefault === undefined ? {} : { default: chosenDefault }),
      // Such as the values of an enum, which another type does not have.
      ...(isSameType ? constraints : {}),
      description,
    },
    replacements: proposed.replacements.map((each) => ({
      ...each,
      text: each.text.replace(`@${proposed.name}`, () => `@${name}`),
    })),
  };
}

function refuseSameNames(chosen: readonly ProposedParameter[], taken: readonly string[]): void {
  const names = new Set(taken.map((name) => name.toLowerCase()));
  for (const { name, isOn } of chosen) {
    if (!isOn) continue;
    if (names.has(name.toLowerCase())) {
      throw new ServiceError('parameter.invalid', `Two parameters would have the name ${name}.`, {
        errors: [{ parameter: 'parameters', value: name, expected: 'a name that no other parameter has' }],
      });
    }
    names.add(name.toLowerCase());
  }
}
