import { nearestName } from '../../core/nearestName.ts';
import type { Identifier, NameMatching, Position } from '../syntax/nodes.ts';
import { NULL_TYPE } from '../types.ts';
import type { ResolvedSubquery, SubqueryOutput } from './context.ts';
import type { ResolveSession } from './session.ts';
import { sqlError } from './sqlError.ts';

/** One input of a set operation, and its position. */
export interface Arm {
  readonly query: ResolvedSubquery;
  readonly pos: Position;
}

/**
 * Gives the arms of a set operation BY NAME the same columns in the same order; a column that an arm lacks is NULL
 * (GoogleSQL, "BY NAME or CORRESPONDING"). Names are case-insensitive.
 */
export function matchedByName(
  arms: readonly Arm[],
  { mode, columns }: NameMatching,
  pos: Position,
  session: ResolveSession,
): readonly Arm[] {
  const named = arms.map((arm, i) => columnsOf(arm, i, columns));
  const names = columns.length === 0 ? chosenNames(named, mode, arms, pos) : listedNames(named, mode, columns);
  if (names.length === 0 || (mode === 'left' && !haveOneInCommon(named))) {
    throw sqlError('sql.type', 'The arms of this set operation have no column name in common', pos, {
      expected: 'a column name that every arm has, or FULL … BY NAME',
    });
  }
  return arms.map((arm, i) => ({
    ...arm,
    query: {
      ...arm.query,
      outputs: names.map(({ key, name }) => named[i]?.get(key) ?? { name, column: session.newColumn(name, NULL_TYPE) }),
    },
  }));
}

type NamedColumns = ReadonlyMap<string, SubqueryOutput>;

interface WantedName {
  readonly key: string;
  readonly name: string;
}

function columnsOf({ query, pos }: Arm, index: number, listed: readonly Identifier[]): NamedColumns {
  const where = `in arm ${index + 1}`;
  if (query.isValueTable === true) {
    throw sqlError('sql.type', `Columns are matched by name, but the value table ${where} has no column names`, pos);
  }
  const wanted = new Set(listed.map(({ name }) => name.toLowerCase()));
  const found = new Map<string, SubqueryOutput>();
  for (const [i, output] of query.outputs.entries()) {
    const key = output.name.toLowerCase();
    if (listed.length > 0 && !wanted.has(key)) continue;
    if (key === '') {
      throw sqlError(
        'sql.type',
        `Columns are matched by name, but column ${i + 1} ${where} has none; give it an alias`,
        pos,
      );
    }
    if (found.has(key)) {
      throw sqlError(
        'sql.type',
        `Columns are matched by name, but two columns ${where} are named ${output.name}`,
        pos,
        {
          token: output.name,
        },
      );
    }
    found.set(key, output);
  }
  return found;
}

function chosenNames(
  arms: readonly NamedColumns[],
  mode: NameMatching['mode'],
  places: readonly Arm[],
  pos: Position,
): readonly WantedName[] {
  const all = new Map(
    arms
      .flatMap((arm) => [...arm])
      .map(([key, { name }]) => [key, name] as const)
      .reverse(),
  );
  const first = arms[0] ?? new Map();
  if (mode === 'strict') {
    for (const [i, arm] of arms.entries()) {
      const missing = [...all.keys()].find((key) => !arm.has(key));
      if (missing === undefined) continue;
      const sentence = `Arm ${i + 1} has no column ${all.get(missing)}, which another arm has; give all arms the same columns, or use INNER, LEFT or FULL`;
      throw sqlError('sql.type', sentence, places[i]?.pos ?? pos, { token: all.get(missing) ?? '' });
    }
  }
  return [...new Set(arms.flatMap((arm) => [...arm.keys()]))]
    .filter((key) => (mode === 'inner' ? arms.every((arm) => arm.has(key)) : mode === 'left' ? first.has(key) : true))
    .map((key) => ({ key, name: all.get(key) ?? '' }));
}

/** The columns of ON (…). Each must exist: in the first arm with LEFT, in any arm with FULL, otherwise in all arms. */
function listedNames(
  arms: readonly NamedColumns[],
  mode: NameMatching['mode'],
  columns: readonly Identifier[],
): readonly WantedName[] {
  return columns.map((column, i) => {
    const key = column.name.toLowerCase();
    if (columns.findIndex(({ name }) => name.toLowerCase() === key) < i) {
      throw sqlError('sql.type', `ON (…) names ${column.name} twice`, column.pos, { token: column.name });
    }
    const isThere =
      mode === 'left'
        ? arms[0]?.has(key) === true
        : mode === 'full'
          ? arms.some((arm) => arm.has(key))
          : arms.every((arm) => arm.has(key));
    if (!isThere) {
      const where = mode === 'left' ? 'The first arm has' : mode === 'full' ? 'No arm has' : 'Not every arm has';
      const nearest = nearestName(
        column.name,
        [...new Set(arms.flatMap((arm) => [...arm.keys()]))].filter((name) => name !== key),
      );
      throw sqlError('sql.unknown_name', `${where} ${mode === 'left' ? 'no' : 'a'} column ${column.name}`, column.pos, {
        token: column.name,
        ...(nearest !== undefined && { nearest }),
      });
    }
    const name = arms.map((arm) => arm.get(key)?.name).find((each) => each !== undefined);
    return { key, name: name ?? column.name };
  });
}

const haveOneInCommon = ([first, ...others]: readonly NamedColumns[]): boolean =>
  first === undefined || others.every((arm) => [...arm.keys()].some((key) => first.has(key)));
