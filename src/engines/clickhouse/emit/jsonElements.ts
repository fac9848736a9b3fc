import type { CallArgument } from '../../../googlesql/resolve/tree.ts';
import { bound } from './bound.ts';
import type { Member } from './cells.ts';
import { isScalar, isString, locate, readLocated, scalarText } from './jsonRead.ts';
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
    isNull: `NOT (${isScalar(at.raw)})`,
  };
}

function isTextOfElement(member: Member, sought: string): string {
  const isThere = elementOfJson(member, (text) => `${text} = ${sought}`);
  const isUnknown = elementOfJson(member, (text) => `isNull(${text})`);
  return `multiIf(${isThere}, true, ${isUnknown}, NULL, false)`;
}

/**
 * Whether an array has an element whose text meets a condition, which is SQL over this text; an object counts as an array of
 * one whose text is NULL.
 */
export function elementOfJson(member: Member, condition: (text: string) => string): string {
  const { raw, elements, elementType } = locate(member);
  const meets = (text: string) => `ifNull(${condition(text)}, false)`;
  // Only a whole number may have been written with a fraction. Its event is copied for each element.
  const isWhole = `arrayExists(element -> match(element, '^-?[0-9]+$'), ${elements})`;
  const exact = `arrayExists((element, i) -> ${meets(scalarText({ raw: 'element', type: elementType }))}, ${elements}, arrayEnumerate(${elements}))`;
  const asWritten = `multiIf(${isString('element')}, JSONExtractString(element), ${isScalar('element')}, element, NULL)`;
  const others = `arrayExists(element -> ${meets(asWritten)}, ${elements})`;
  const ofObject = meets("CAST(NULL, 'Nullable(String)')");
  return member.lift(
    `multiIf(startsWith(${raw}, '['), if(${isWhole}, ${exact}, ${others}), startsWith(${raw}, '{'), ${ofObject}, false)`,
  );
}
