import { ServiceError } from '../core/errors.ts';
import type { EndpointDefinition } from '../endpoints/definition.ts';
import type { EndpointChange, EndpointVersion } from '../endpoints/endpointStore.ts';
import { isSameDefinition } from '../endpoints/sameDefinition.ts';
import type { Notice } from '../googlesql/resolve/tree.ts';
import type { EndpointDescription } from '../invoke/describe.ts';
import { breakingChanges } from './breakingChanges.ts';
import { type ComparedVersion, type DefinitionDiff, diffDefinitions } from './definitionDiff.ts';
import type { WantedDefinition } from './definitionInput.ts';
import { type OwnEndpointNames, refuseOwnNames } from './ownEndpoints.ts';
import type { BrokenEndpoint } from './recentCallers.ts';

/** What has to be done so that an endpoint is as it is wanted. */
export interface PlannedChange {
  readonly id: string;
  readonly name: string;
  readonly outcome: 'created' | 'changed' | 'unchanged';
  /** Null for a new endpoint. */
  readonly current: EndpointVersion | null;
  /** Null for a new endpoint. */
  readonly diff: DefinitionDiff | null;
  readonly definition: EndpointDefinition;
  /** What there is to say of its query; nothing where the definition stays as it is. */
  readonly notices: readonly Notice[];
  readonly isRenamed: boolean;
  /** Whether it has to be made the one that answers by its name. */
  readonly becomesPrimary: boolean;
  /** Whether it may take a name that another endpoint has. */
  readonly mayShareName: boolean;
}

/** The change, and what callers by its name may miss where it takes the name over from another endpoint. */
export interface PlannedTakeover extends PlannedChange {
  /** Null where nobody loses the name by it. */
  readonly takenFrom: BrokenEndpoint | null;
}

/** Describes a definition; throws `definition.invalid` where it does not compile. */
export type Describe = (definition: EndpointDefinition) => Promise<EndpointDescription>;

/** Throws what `describe` throws of the wanted definition; one that is there already is not compiled again. */
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

/** With what callers by the name lose when another endpoint answers them than the one that has it. */
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
    message: `Calls by the name ${holder.name} are answered by ${plan.id} instead of ${holder.id}. ${change.message}`,
  }));
  return { ...plan, takenFrom: { id: holder.id, name: holder.name, breaking } };
}

/** Null for a definition that does not compile any more. */
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
 * The steps of several plans, in an order that leaves no name without a primary in between: who gives
 * a name away comes after whoever takes it over.
 */
export function stepsOf(plans: readonly PlannedChange[]): readonly EndpointChange[] {
  const primaryOf = (isRenamed: boolean) =>
    plans
      .filter((plan) => plan.becomesPrimary && plan.isRenamed === isRenamed)
      .map(({ id }): EndpointChange => ({ kind: 'primary', id }));
  // Of several definitions that are deployed together under one name, `primary: true` in one says what the others are.
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
