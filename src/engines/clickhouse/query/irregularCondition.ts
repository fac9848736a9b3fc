import { pathKey, type Source } from '../../../sources/source.ts';
import { isOuterTime, outerTimeKey } from '../emit/outerTimes.ts';
import { quoteText } from '../sqlText.ts';
import { hotCountColumn, irregularColumn } from '../tables/tableLayout.ts';

/**
 * Never NULL, and TRUE for every event that is, or may be, irregular at one of these pathKeys (sources/source.ts): its node
 * has noted one of them, or did not know the typed column yet. `outerTimeKey` among them stands for its time.
 */
export function irregularCondition(source: Pick<Source, 'hotColumns'>, keys: ReadonlySet<string>): string {
  const noted = [...keys].filter((key) => key !== outerTimeKey);
  const conditions = [
    ...(noted.length === 0 ? [] : [isNoted(source, noted)]),
    ...(keys.has(outerTimeKey) ? [isOuterTime] : []),
  ];
  return conditions.length === 1 ? (conditions[0] ?? '') : `(${conditions.join(' OR ')})`;
}

function isNoted({ hotColumns }: Pick<Source, 'hotColumns'>, keys: readonly string[]): string {
  // Nearly every list is empty, and of those ClickHouse reads the lengths only.
  const noted = `(notEmpty(${irregularColumn}) AND hasAny(${irregularColumn}, [${keys.map(quoteText).join(', ')}]))`;
  const known = 1 + hotColumns.findLastIndex(({ path }) => keys.includes(pathKey(path)));
  return known === 0 ? noted : `(${hotCountColumn} < ${known} OR ${noted})`;
}
