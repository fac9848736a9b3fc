import { ServiceError } from '../core/errors.ts';
import type { EndpointDefinition } from '../endpoints/definition.ts';
import type { EndpointChange, EndpointVersion } from '../endpoints/endpointStore.ts';
import { isSameDefinition } from '../endpoints/sameDefinition.ts';
import type { Notice } from '../googlesql/resolve/tree.ts';
import type { EndpointDescription } from '../invoke/describe.ts';
import { breakingChanges } from './breakingChanges.ts';
import type { ComparedVersion } from './comparedVersion.ts';
import { type DefinitionDiff, diffDefinitions } from './definitionDiff.ts';
import type { WantedDefinition } from './definitionInput.ts';
import { type OwnEndpointNames, refuseOwnNames } from './ownEndpoints.ts';
import type { BrokenEndpoint } from './recentCallers.ts';

/** The change that turns an endpoint into the wanted one. */
export interface PlannedChange {
  readonly id: string;
  readonly name: string;
  readonly outcome: 'created' | 'changed' | 'unchanged';
  /** Null for a new endpoint. */
  readonly current: EndpointVersion | null;
  /** Null for a new endpoint. */
  readonly diff: DefinitionDiff | null;
  readonly definition: EndpointDefinition;
  /** Notices about the query; empty if the definition does not change. */
  readonly notices: readonly Notice[];
  readonly isRenamed: boolean;
  /** Whether a step must make it the endpoint that answers by its name. */
  readonly becomesPrimary: boolean;
  /** Whether it may take a name that another endpoint has. */
  readonly mayShareName: boolean;
}

/** A planned change, and what callers by its name lose if it takes over the name of another endpoint. */
export interface PlannedTakeover extends PlannedChange {
  /** Null if no endpoint loses its name. */
  readonly takenFrom: BrokenEndpoint | null;
}

/** Describes a definition. Throws `definition.invalid` if it does not compile. */
export type Describe = (definition: EndpointDefinition) => Promise<EndpointDescription>;

/** Plans a change. Throws the errors of `describe`, but does not compile an unchanged definition again. */
export async function planChange(
  { definition, primary }: WantedDefinition,
  current: EndpointVersion | undefined,
  describe: Describe,
  own: OwnEndpointNames,
): Promise<PlannedChange> {
  const { id, name } = definition;
  refuseOwnNames(definition, own);
  if (current === undefined) {
    const { notices } = await describe(definition);
    const plan = { id, name, definition, notices, current: null, diff: null };
    return {
      ...plan,
      outcome: 'created',
      isRenamed: false,
      becomesPrimary: primary === true,
      mayShareName: primary !== null,
    };
  }
  const isRenamed = current.name !== name;
  const becomesPrimary = primary === true && (isRenamed || !current.primary);
  const isSame = isSameDefinition(current, definition);
  const description = isSame ? null : await describe(definition);
  const diff = diffDefinitions(
    {
      label: `version ${current.version}`,
      definition: current,
      primary: current.primary,
      description: isSame ? null : await describeOrNull(current, describe),
    },
    {
      label: isSame ? `version ${current.version}` : `version ${current.version + 1}`,
      definition: isSame ? current : definition,
      primary: current.primary,
      description,
    },
  );
  const outcome = isSame && !becomesPrimary ? 'unchanged' : 'changed';
  const notices = description?.notices ?? [];
  return {
    id,
    name,
    outcome,
    current,
    diff,
    definition,
    notices,
    isRenamed,
    becomesPrimary,
    mayShareName: primary !== null,
  };
}

/** Adds what callers by the name lose if the endpoint takes it over from `holder`. */
export async function planTakeover(
  plan: PlannedChange,
  holder: EndpointVersion | undefined,
  describe: Describe,
): Promise<PlannedTakeover> {
  if (!plan.becomesPrimary || holder === undefined || holder.id === plan.id) return { ...plan, takenFrom: null };
  const compared = async (label: string, definition: EndpointDefinition): Promise<ComparedVersion> => ({
    label,
    definition,
    primary: true,
    description: await describeOrNull(definition, describe),
  });
  const before = await compared(holder.id, holder);
  const breaking = breakingChanges(before, await compared(plan.id, plan.definition)).map((change) => ({
    ...change,
    message: `Calls by the name ${holder.name} now reach ${plan.id} instead of ${holder.id}. ${change.message}`,
  }));
  return { ...plan, takenFrom: { id: holder.id, name: holder.name, breaking } };
}

/** Describes a definition; null if it no longer compiles. */
export async function describeOrNull(
  definition: EndpointDefinition,
  describe: Describe,
): Promise<EndpointDescription | null> {
  try {
    return await describe(definition);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'definition.invalid') return null;
    throw error;
  }
}

/**
 * The steps of several plans, in an order in which every name always has a primary: an endpoint takes over a name before
 * its previous holder gives it up.
 */
export function stepsOf(plans: readonly PlannedChange[]): readonly EndpointChange[] {
  const primaryOf = (isRenamed: boolean) =>
    plans
      .filter((plan) => plan.becomesPrimary && plan.isRenamed === isRenamed)
      .map(({ id }): EndpointChange => ({ kind: 'primary', id }));
  // If one of several definitions with the same name has `primary: true`, the others share the name without asking.
  const settled = new Set(plans.filter((plan) => plan.becomesPrimary).map(({ name }) => name));
  return [
    ...plans
      .filter(({ current }) => current === null)
      .map(
        ({ definition, name, mayShareName }): EndpointChange => ({
          kind: 'create',
          definition,
          mayShareName: mayShareName || settled.has(name),
        }),
      ),
    ...primaryOf(false),
    ...plans.flatMap(({ current, definition, name, mayShareName }): readonly EndpointChange[] =>
      current === null || isSameDefinition(current, definition)
        ? []
        : [
            {
              kind: 'change',
              definition,
              expected: current.version,
              mayShareName: mayShareName || settled.has(name),
            },
          ],
    ),
    ...primaryOf(true),
  ];
}
