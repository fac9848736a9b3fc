import type { GroupCheck } from './aggregates.ts';
import type { Block } from './blocks.ts';
import type { Check } from './fetch.ts';
import { isJoin, outputOfSide } from './join.ts';
import { notPushed } from './notPushed.ts';
import { unreadableKey } from './readableJson.ts';
import type { ScanContext } from './scanContext.ts';

/** The column `out_check` (`Fetch.checks`). */
export interface CheckColumn {
  /** The number of a check that a row fails; null without checks. */
  readonly sql: string | null;
  readonly checks: readonly Check[];
  /** Whether an event fails a check, so that no filter may leave it out; null if none can. Never NULL. */
  readonly isFailed: string | null;
}

export function checkOf(block: Block): CheckColumn {
  const ofEvents = checksOfEvents(block);
  const all = [
    ...block.checks,
    ...ofEvents.map(({ sql, check }) => ({ sql: block.group === null ? sql : `max(${sql})`, check })),
  ];
  // The check of irregular events is the last and decides, then the others of events.
  const numbered = all.map(({ sql }, i) => `${sql}, ${i + 1}`);
  const branches = [...numbered.slice(block.checks.length).toReversed(), ...numbered.slice(0, block.checks.length)];
  return {
    sql: branches.length === 0 ? null : `toInt64(multiIf(${branches.join(', ')}, 0))`,
    checks: all.map(({ check }) => check),
    isFailed: anyOf(ofEvents.map(({ sql }) => sql)),
  };
}

const anyOf = (conditions: readonly string[]): string | null =>
  conditions.length > 1 ? `(${conditions.join(' OR ')})` : (conditions[0] ?? null);

/** Conditions on single events, which are never NULL. */
function checksOfEvents({ source }: Block): readonly GroupCheck[] {
  if (!isJoin(source)) {
    const sql = irregularOf(source);
    return sql === null ? [] : [{ sql, check: { kind: 'irregular' } }];
  }
  const isOther = anyOf(source.others.map((name) => `ifNull(${name}, false)`));
  const isIrregular = anyOf(
    [source.left, source.right].flatMap((side) => {
      const sql = irregularOf(contextOf(side.block));
      return sql === null ? [] : [`ifNull(${outputOfSide(side, sql)}, false)`];
    }),
  );
  return [
    ...(isOther === null ? [] : [{ sql: isOther, check: { kind: 'inexact', part: 'json' } } as const]),
    ...(isIrregular === null ? [] : [{ sql: isIrregular, check: { kind: 'irregular' } } as const]),
  ];
}

/** Whether an event is irregular where the statement trusts that it is not; null if it trusts nothing. */
export function irregularOf({ trusted, readsJson, table }: ScanContext): string | null {
  const keys = new Set([...trusted, ...(readsJson ? [unreadableKey] : [])]);
  return keys.size === 0 ? null : table.isIrregular(keys);
}

/** The scan of a side. */
export function contextOf({ source }: Block): ScanContext {
  return isJoin(source) ? notPushed('JOIN of more than two tables') : source;
}
