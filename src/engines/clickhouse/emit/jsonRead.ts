import type { ScalarTypeName } from '../../../googlesql/types.ts';
import { pathKey } from '../../../sources/source.ts';
import { quoteText } from '../sqlText.ts';
import type { Member } from './cells.ts';
import { notPushed } from './notPushed.ts';
import { boolText, numberText } from './textCasts.ts';

/** A member that is read from the text of `metadata`, as ClickHouse's parser finds it. */
interface Located {
  /** The JSON text in which it is looked for. */
  readonly document: string;
  /** JSON text of the member, '' if it is missing. Numbers are written anew: `1.0` as `1`. */
  readonly raw: string;
  /** The name of its type, 'Null' also if it is missing. It costs far less than the text of an object. */
  readonly type: string;
  /** Its number of members or elements. */
  readonly length: string;
  /**
   * JSON texts of its elements. Those of `raw` would be written anew twice: `-0.0` as `0`. And ClickHouse cannot read a `raw`
   * with `1e20`, which it writes as a whole number.
   */
  readonly elements: string;
  /** The name of the type of its element number `abs(n)`, from 1. */
  readonly elementType: string;
}

/** What a scalar is read from. */
export type ScalarText = Pick<Located, 'raw' | 'type'>;

/** Members on a path that may be arrays with one object, each of which doubles the places to look at. */
const uncertainMax = 4;

/**
 * Finds a member. On the way, an array with one element counts as that element (googlesql.md, section 2): if the member is
 * not found directly, it is looked for in each array that may be on the way.
 */
export function locate({ path, objects, context }: Member): Located {
  if (!context.facts.isReadable) notPushed('metadata that ClickHouse cannot read');
  if (context.isRedacted) notPushed('a redacted value');
  if (path.length === 0) notPushed('the whole of metadata');
  context.readsJson = true;
  const document = `ifNull(${context.table.columns.metadata}, '')`;
  const direct = readAt(document, path);
  const isUncertain = (length: number) => objects?.has(length) !== true && context.mayHoldArray(path.slice(0, length));
  const uncertain = path.flatMap((_, i) => (i > 0 && isUncertain(i) ? [i] : []));
  if (uncertain.length === 0) return direct;
  if (uncertain.length > uncertainMax) notPushed('a path through more than four members that may be arrays');
  const others = subsets(uncertain).map((through) => {
    const keys = path.flatMap((step, i) => (through.includes(i) ? [1, step] : [step]));
    const isArray = through.map((_, n) => {
      const above = keys.slice(0, positionOfNth(keys, n));
      return `JSONType(${listed(document, above)}) = 'Array' AND JSONLength(${listed(document, above)}) = 1`;
    });
    return { when: isArray.join(' AND '), at: readAt(document, keys) };
  });
  const pick = (of: (at: Located) => string, none: string): string => {
    const branches = others.map(({ when, at }) => `${when}, ${of(at)}`);
    // Nearly no document has such an array, so nothing more is read from it.
    return `if(position(${document}, '[{') = 0 OR ${direct.raw} != '', ${of(direct)}, multiIf(${branches.join(', ')}, ${none}))`;
  };
  return {
    document,
    raw: pick(({ raw }) => raw, "''"),
    type: pick(({ type }) => type, "'Null'"),
    length: pick(({ length }) => length, '0'),
    elements: pick(({ elements }) => elements, '[]'),
    elementType: pick(({ elementType }) => elementType, "'Null'"),
  };
}

/** The position of the n-th array step, from 0. */
function positionOfNth(keys: readonly (string | number)[], n: number): number {
  const positions = keys.flatMap((key, i) => (key === 1 ? [i] : []));
  return positions[n] ?? 0;
}

/**
 * All subsets but the empty one, each before its parts: a member below two arrays is missing behind only the first of them,
 * which is there too.
 */
function subsets(items: readonly number[]): readonly (readonly number[])[] {
  const all: (readonly number[])[] = [[]];
  for (const item of items) all.push(...all.map((set) => [...set, item]));
  return all.slice(1).reverse();
}

const listed = (document: string, keys: readonly (string | number)[]): string =>
  [document, ...keys.map((key) => (typeof key === 'number' ? String(key) : quoteText(key)))].join(', ');

const readAt = (document: string, keys: readonly (string | number)[]): Located => ({
  document,
  raw: `JSONExtractRaw(${listed(document, keys)})`,
  type: `JSONType(${listed(document, keys)})`,
  length: `JSONLength(${listed(document, keys)})`,
  elements: `JSONExtractArrayRaw(${listed(document, keys)})`,
  elementType: `JSONType(${listed(document, keys)}, abs(n))`,
});

export const isString = (raw: string): string => `startsWith(${raw}, '"')`;
export const isScalar = (raw: string): string => `${raw} NOT IN ('', 'null') AND NOT match(${raw}, '^[{[]')`;

/** The number or boolean as DuckDB writes it: a whole number with a fraction or an exponent ends in `.0`. */
const written = ({ raw, type }: ScalarText): string =>
  `if(match(${raw}, '^-?[0-9]+$') AND ${type} = 'Double', concat(${raw}, '.0'), ${raw})`;

/** Text of a scalar: a string without its quotes, a number or boolean as written; NULL for anything else. */
function scalarText(at: ScalarText): string {
  return `multiIf(${isString(at.raw)}, JSONExtractString(${at.raw}), ${isScalar(at.raw)}, ${written(at)}, NULL)`;
}

/** Reads a member as the type that its place requires, like the emitter of DuckDB (jsonRead.ts there). */
export function readJson(member: Member, wanted: ScalarTypeName): string {
  return member.lift(readLocated(locate(member), wanted));
}

export function readLocated(at: ScalarText, wanted: ScalarTypeName): string {
  if (wanted === 'STRING') return scalarText(at);
  if (wanted === 'FLOAT64') {
    const text = numberOf(`JSONExtractString(${at.raw})`);
    return `multiIf(match(${at.raw}, '^[-0-9]'), toFloat64OrNull(${at.raw}), ${isString(at.raw)}, ${text}, NULL)`;
  }
  // A whole number is the same with and without `.0`, except in text, and as an INT64 that a FLOAT64 may have rounded.
  const read = readText(
    `multiIf(${isString(at.raw)}, JSONExtractString(${at.raw}), ${isScalar(at.raw)}, ${at.raw}, NULL)`,
    wanted,
  );
  if (wanted !== 'INT64') return read;
  const isLarge = `match(${at.raw}, '^-?[0-9]{16,}$') AND abs(toFloat64OrZero(${at.raw})) >= 9007199254740992`;
  return `if(${isLarge} AND ${at.type} = 'Double', NULL, ${read})`;
}

/** Reads the text of a scalar as another type; NULL for text that is not readable so. */
export function readText(text: string, wanted: ScalarTypeName): string {
  switch (wanted) {
    case 'FLOAT64':
      return numberOf(text);
    case 'INT64': {
      const number = numberOf(text);
      const digits = `accurateCastOrNull(toInt128OrNull(${text}), 'Int64')`;
      return `multiIf(match(${text}, '^[+-]?[0-9]{1,19}$'), ${digits}, ${number} = trunc(${number}) AND abs(${number}) < 9007199254740992, accurateCastOrNull(${number}, 'Int64'), NULL)`;
    }
    case 'BOOL':
      return boolText(text);
    default:
      return notPushed(`a nested value read as ${wanted}`);
  }
}

/** A FLOAT64 from text, as far as it is a number of a log: neither `inf` nor `nan` nor `1_000`. */
const numberOf = (text: string): string => {
  const number = numberText(text);
  return `if(isFinite(${number}), ${number}, NULL)`;
};

/** Whether the member is there and not null. */
export function hasJson(member: Member): string {
  const { path, context, lift } = member;
  if (path.length === 0) return lift(`isNotNull(${context.table.columns.metadata})`);
  return lift(`(${locate(member).raw} NOT IN ('', 'null'))`);
}

/** Reads a member for a CAST to STRING, which fails for an object or array. Then the rest casts, and says which value it was. */
export function castJsonToText(member: Member): string {
  const { context } = member;
  if (context.avoid.has('casts')) notPushed('CAST of objects and arrays to STRING');
  context.failedCasts.add(isOther(locate(member).raw));
  return readJson(member, 'STRING');
}

const isOther = (raw: string): string => `(startsWith(${raw}, '{') OR startsWith(${raw}, '['))`;

/** A scalar with the kind of its JSON value, by which it is grouped and counted (`Transport`, 'scalar'). */
export interface JsonKey {
  /** NULL for a missing or null value. Wrong for objects and arrays. */
  readonly sql: string;
  /** Whether the value is an object or an array, whose text ClickHouse does not keep. */
  readonly isOther: string;
}

export function jsonKey(member: Member): JsonKey {
  if (member.context.avoid.has('json')) notPushed('objects and arrays as values of a group');
  return scalarAt(member);
}

/** A member that is returned without the rest of its event, unless it is known to be an object. */
export function returnedMember(member: Member): JsonKey {
  const { path, context } = member;
  const key = pathKey(path);
  const isObject = context.scan.source.hotColumns.some((hot) => hot.kind === 'presence' && pathKey(hot.path) === key);
  if (context.avoid.has('members') || isObject) notPushed('objects and arrays as values of a row');
  return scalarAt(member);
}

function scalarAt(member: Member): JsonKey {
  const { lift } = member;
  const at = locate(member);
  return {
    sql: lift(
      `multiIf(${isString(at.raw)}, concat('s', JSONExtractString(${at.raw})), ${at.raw} IN ('', 'null'), NULL, concat('v', ${written(at)}))`,
    ),
    isOther: lift(isOther(at.raw)),
  };
}

/** Conditions on a member that is unnested: that it gives rows, and that it is something else than one object. */
export function unnestedJson(member: Member) {
  const { type, length } = locate(member);
  return {
    hasElements: `(${type} NOT IN ('Null', 'Array') OR (${type} = 'Array' AND ${length} > 0))`,
    isOther: `(${type} != 'Object')`,
  };
}
