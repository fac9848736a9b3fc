import type { GroupCheck } from './aggregates.ts';
import type { Block, Union } from './blocks.ts';
import type { Check } from './fetch.ts';
import { isJoin, outputOfSide } from './join.ts';
import { notPushed } from './notPushed.ts';
import { unreadableKey } from './readableJson.ts';
import type { ScanContext } from './scanContext.ts';
import { isUnion } from './union.ts';

/** The column `out_check` (`Fetch.checks`), or that of an arm of a UNION ALL. */
export interface CheckColumn {
  /** The number of a check that a row fails; null without checks. */
  readonly sql: string | null;
  /** Whether an event fails a check, so that no filter may leave it out; null if none can. Never NULL. */
  readonly isFailed: string | null;
}

/** The column that has the number of the check in each arm of a UNION ALL. No column of a table has such a name. */
export const checkOfArms = 'in_check';

export function checkOf(block: Block): CheckColumn & { readonly checks: readonly Check[] } {
  const { source } = block;
  const own = isUnion(source) ? { ...block, ofEvents: [], isFailed: null } : ownChecks(block, source);
  const ofArms = isUnion(source) ? armChecks(source).checks : [];
  const all = [...own.checks, ...own.ofEvents];
  const branches = branchesOf(own, (check) => all.indexOf(check) + 1);
  // Those of the arms have higher numbers than those of groups of their rows, and decide.
  const found = block.group === null ? checkOfArms : `max(${checkOfArms})`;
  const sql =
    ofArms.length === 0
      ? numberOf(branches)
      : all.length === 0
        ? found
        : numberOf([`${found} > 0, ${found} + ${all.length}`, ...branches]);
  return { sql, checks: [...all.map(({ check }) => check), ...ofArms], isFailed: own.isFailed };
}

/** Checks of groups, and those of their events. */
interface OwnChecks {
  readonly checks: readonly GroupCheck[];
  readonly ofEvents: readonly GroupCheck[];
  readonly isFailed: string | null;
}

function ownChecks({ checks, group }: Block, source: Exclude<Block['source'], Union>): OwnChecks {
  const ofEvents = checksOfEvents(source);
  return {
    checks,
    ofEvents: group === null ? ofEvents : ofEvents.map(({ sql, check }) => ({ sql: `max(${sql})`, check })),
    isFailed: anyOf(ofEvents.map(({ sql }) => sql)),
  };
}

/** The check of irregular events is the last and decides, then the others of events. */
const branchesOf = ({ checks, ofEvents }: OwnChecks, number: (check: GroupCheck) => number): readonly string[] =>
  [...ofEvents.toReversed(), ...checks].map((each) => `${each.sql}, ${number(each)}`);

const numberOf = (branches: readonly string[]): string | null =>
  branches.length === 0 ? null : `toInt64(multiIf(${branches.join(', ')}, 0))`;

const anyOf = (conditions: readonly string[]): string | null =>
  conditions.length > 1 ? `(${conditions.join(' OR ')})` : (conditions[0] ?? null);

/**
 * What the numbers in `checkOfArms` mean, and the column in each arm. All arms have the number of the check of irregular
 * events in common. It is the last one, because what the others find is right only without it.
 */
export function armChecks({ arms }: Union): {
  readonly checks: readonly Check[];
  readonly columns: readonly CheckColumn[];
} {
  const own = arms.map(({ block }) => ownChecks(block, contextOf(block)));
  const all = own.flatMap(({ checks, ofEvents }) => [...checks, ...ofEvents]);
  const others = all.filter(({ check }) => check.kind !== 'irregular');
  const last = others.length < all.length ? ([{ kind: 'irregular' }] as const) : [];
  const number = (check: GroupCheck): number => {
    const position = others.indexOf(check);
    return position < 0 ? others.length + 1 : position + 1;
  };
  return {
    checks: [...others.map(({ check }) => check), ...last],
    columns: own.map((arm) => ({ sql: numberOf(branchesOf(arm, number)), isFailed: arm.isFailed })),
  };
}

/** Conditions on single events, which are never NULL. */
function checksOfEvents(source: Exclude<Block['source'], Union>): readonly GroupCheck[] {
  if (!isJoin(source)) {
    const failed = anyOf([...source.failedCasts]);
    const sql = irregularOf(source);
    return [
      ...(failed === null ? [] : [{ sql: failed, check: { kind: 'inexact', part: 'casts' } } as const]),
      ...(sql === null ? [] : [{ sql, check: { kind: 'irregular' } } as const]),
    ];
  }
  const sides = [source.left, source.right];
  const isFailedCast = anyOf(
    sides.flatMap((side) =>
      [...contextOf(side.block).failedCasts].map((sql) => `ifNull(${outputOfSide(side, sql)}, false)`),
    ),
  );
  const isOther = anyOf(source.others.map((name) => `ifNull(${name}, false)`));
  const isIrregular = anyOf(
    sides.flatMap((side) => {
      const sql = irregularOf(contextOf(side.block));
      return sql === null ? [] : [`ifNull(${outputOfSide(side, sql)}, false)`];
    }),
  );
  return [
    ...(isOther === null ? [] : [{ sql: isOther, check: { kind: 'inexact', part: 'json' } } as const]),
    ...(isFailedCast === null ? [] : [{ sql: isFailedCast, check: { kind: 'inexact', part: 'casts' } } as const]),
    ...(isIrregular === null ? [] : [{ sql: isIrregular, check: { kind: 'irregular' } } as const]),
  ];
}

/** Whether an event of a scan fails a check; null if none can. */
export function failedOf(context: ScanContext): string | null {
  const irregular = irregularOf(context);
  return anyOf([...context.failedCasts, ...(irregular === null ? [] : [irregular])]);
}

/** Whether an event is irregular where the statement trusts that it is not; null if it trusts nothing. */
function irregularOf({ trusted, readsJson, table }: ScanContext): string | null {
  const keys = new Set([...trusted, ...(readsJson ? [unreadableKey] : [])]);
  return keys.size === 0 ? null : table.isIrregular(keys);
}

/** The scan of a side of a join, or of an arm of a UNION ALL. */
export function contextOf({ source }: Block): ScanContext {
  return isJoin(source) || isUnion(source) ? notPushed('JOIN of more than two tables') : source;
}
