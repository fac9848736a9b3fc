import type { CallArgument } from '../../../googlesql/resolve/tree.ts';
import { bound } from './bound.ts';
import type { Member } from './cells.ts';
import { isScalar, isString, locate, readLocated } from './jsonRead.ts';
import type { Place } from './place.ts';

/** The member of whose elements an array consists; null for other arrays. Unlike SAFE_CAST, CAST fails if it is no array. */
export function memberOfArray(array: CallArgument, place: Place): Member | null {
  return array.kind === 'cast' && array.safe && array.value.type.kind === 'JSON' ? place.member(array.value) : null;
}

/** Types as which the elements of an array are read. */
export type ElementType = 'STRING' | 'FLOAT64' | 'BOOL';

/**
 * Whether an array has an element that is equal to a constant (x IN UNNEST): each is read as this type, and an object counts as
 * an array of one. NULL if there is none, but an element that cannot be read so. `sought` is SQL of the constant; as a
 * STRING, its text.
 */
export function isElementOfJson(
  member: Member,
  wanted: ElementType,
  sought: { readonly sql: string; readonly text: string | null },
): string {
  // Such a text may be equal to a number as it was written.
  if (wanted === 'STRING' && /^-?\d/.test(sought.text ?? '')) return isTextOfElement(member, sought.sql);
  const { isEqual, isNull } = elementRead(wanted, sought.sql);
  const { type, elements } = locate(member);
  const found = bound(elements, 'elements', (all) => {
    const isThere = `arrayExists(element -> ${isEqual}, ${all})`;
    const isUnknown = `arrayExists(element -> ${isNull}, ${all})`;
    return `multiIf(${isThere}, true, ${isUnknown}, NULL, false)`;
  });
  return member.lift(`multiIf(${type} = 'Array', ${found}, ${type} = 'Object', NULL, false)`);
}

/** Conditions on the JSON text of an element. */
function elementRead(wanted: ElementType, sought: string) {
  const at = { raw: 'element', type: 'JSONType(element)' };
  if (wanted !== 'STRING') {
    const value = readLocated(at, wanted);
    return { isEqual: `ifNull(${value} = ${sought}, false)`, isNull: `isNull(${value})` };
  }
  // Of what is no string, only TRUE and FALSE can be equal to a text that does not look like a number.
  const isText = `${isString(at.raw)} AND JSONExtractString(element) = ${sought}`;
  return {
    isEqual: `${isText} OR element = ${sought} AND element IN ('true', 'false')`,
    isNull: hasNoText,
  };
}

const hasNoText = `NOT (${isScalar('element')})`;

function isTextOfElement(member: Member, sought: string): string {
  const isThere = elementOfJson(member, (text) => `${text} = ${sought}`);
  const { type, elements } = locate(member);
  const inArray = `${type} = 'Array' AND arrayExists(element -> ${hasNoText}, ${elements})`;
  const isUnknown = member.lift(`(${inArray} OR ${type} = 'Object')`);
  return `multiIf(${isThere}, true, ${isUnknown}, NULL, false)`;
}

/** Matches metadata in which an element of an array may be a whole number that was written with a fraction or an exponent. */
const wholeWithFraction = '[[,][[:space:]]*-?[0-9]+(?:[.]0|(?:[.][0-9]+)?[eE])';

/**
 * Whether an array has an element whose text meets a condition, which is SQL over this text; an object counts as an array of
 * one whose text is NULL.
 *
 * ClickHouse writes `5.0` as `5`. The type of an element tells them apart, but the event is copied for each element whose type
 * is read. So that is done only for those for which the condition tells them apart, and seldom.
 */
export function elementOfJson(member: Member, condition: (text: string) => string): string {
  const { document, raw, elements, elementType } = locate(member);
  const meets = (text: string) => `ifNull(${condition(text)}, false)`;
  const isWhole = "match(element, '^-?[0-9]+$')";
  const asWritten = `multiIf(${isString('element')}, JSONExtractString(element), ${isScalar('element')}, element, NULL)`;
  const [plain, withFraction] = [meets(asWritten), meets("concat(element, '.0')")];
  const inAnyCase = `arrayExists(element -> ${plain} AND (NOT ${isWhole} OR ${withFraction}), ${elements})`;
  // The number of an element that meets it only without a fraction, that of one that does only with it as a negative number.
  const numbers = `arrayMap((element, i) -> if(${isWhole}, (toInt64(${plain}) - toInt64(${withFraction})) * i, 0), ${elements}, arrayEnumerate(${elements}))`;
  const byType = `arrayExists(n -> (${elementType} = 'Double') = (n < 0), arrayFilter(n -> n != 0, ${numbers}))`;
  const exact = `(${inAnyCase} OR ${byType})`;
  const others = `arrayExists(element -> ${plain}, ${elements})`;
  const found = `if(match(${document}, '${wholeWithFraction}'), ${exact}, ${others})`;
  const ofObject = meets("CAST(NULL, 'Nullable(String)')");
  return member.lift(`multiIf(startsWith(${raw}, '['), ${found}, startsWith(${raw}, '{'), ${ofObject}, false)`);
}
