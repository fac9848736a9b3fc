import type { CallArgument, CallExpr, Expr } from '../../../googlesql/resolve/tree.ts';
import type { EventTable, HeldBounds } from './fetch.ts';
import type { Place } from './place.ts';

/**
 * Whether a condition is TRUE for every event within the bounds that the statement has anyway. The bounds come from the
 * conditions of the query, so nearly every condition on the time or the project is, and need not be written twice.
 */
export function isCertain(condition: Expr, place: Place, table: EventTable): boolean {
  const { bounds, columns } = table;
  if (condition.kind === 'literal') return condition.value === true;
  if (condition.kind !== 'call' || bounds === null) return false;
  const holds = (arg: CallArgument) => arg.kind !== 'part' && isCertain(arg, place, table);
  switch (condition.fn) {
    case '$and':
      return condition.args.every(holds);
    case '$or':
      return condition.args.some(holds);
    default:
      return isAbout(condition, columns.timestamp, place)
        ? isOfTimes(condition, bounds)
        : isAbout(condition, columns.project, place) && isOfProjects(condition, bounds);
  }
}

/** Whether the first argument is this stored column, and all others are constants. */
function isAbout({ args }: CallExpr, column: string, place: Place): boolean {
  const [value, ...constants] = args;
  return (
    value !== undefined && place.stored(value) === column && constants.every((constant) => constant.kind === 'literal')
  );
}

const constantOf = (arg: CallArgument | undefined): unknown => (arg?.kind === 'literal' ? arg.value : undefined);

function isOfTimes({ fn, args }: CallExpr, { fromMicros, toMicros }: HeldBounds): boolean {
  const [first, second] = [constantOf(args[1]), constantOf(args[2])];
  if (typeof first !== 'bigint') return false;
  switch (fn) {
    case '$gt':
      return fromMicros !== null && fromMicros > first;
    case '$ge':
      return fromMicros !== null && fromMicros >= first;
    case '$lt':
      return toMicros !== null && toMicros < first;
    case '$le':
      return toMicros !== null && toMicros <= first;
    case '$between':
      return (
        fromMicros !== null &&
        fromMicros >= first &&
        toMicros !== null &&
        typeof second === 'bigint' &&
        toMicros <= second
      );
    default:
      return false;
  }
}

function isOfProjects({ fn, args }: CallExpr, { projects }: HeldBounds): boolean {
  if (projects === null || (fn !== '$eq' && fn !== '$in')) return false;
  const named = args.slice(1).map(constantOf);
  return projects.every((project) => named.includes(project));
}
