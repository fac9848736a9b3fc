import { pathKey, type Source } from '../../../sources/source.ts';
import { quoteText } from '../sqlText.ts';
import { hotCountColumn, irregularColumn } from '../tables/tableLayout.ts';

/**
 * Never NULL, and TRUE for every event that is, or may be, irregular at one of these pathKeys (sources/source.ts): its node
 * has noted one of them, or did not know the typed column yet.
 */
export function irregularCondition({ hotColumns }: Pick<Source, 'hotColumns'>, keys: ReadonlySet<string>): string {
  // Nearly every list is empty, and of those ClickHouse reads the lengths only.
  const noted = `(notEmpty(${irregularColumn}) AND hasAny(${irregularColumn}, [${[...keys].map(quoteText).join(', ')}]))`;
  const known = 1 + hotColumns.findLastIndex(({ path }) => keys.has(pathKey(path)));
  return known === 0 ? noted : `(${hotCountColumn} < ${known} OR ${noted})`;
}
