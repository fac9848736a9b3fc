import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, memberOf } from '../core/jsonValue.ts';
import type { HotValue } from '../ports/eventLog.ts';
import { type HotColumn, pathKey } from '../sources/source.ts';

export interface HotCells {
  /** One value per typed column, in their order. */
  readonly values: readonly HotValue[];
  /** `pathKey`s of the columns that differ from `metadata`. */
  readonly irregular: readonly string[];
}

/** Marks a cell that differs from `metadata` at its path. */
const irregularCell = Symbol('irregular');

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;

/** Computes the typed columns of an event by the rules of `HotColumn`. */
export function hotCells(metadata: JsonObject | null, columns: readonly HotColumn[]): HotCells {
  const values: HotValue[] = [];
  let irregular: string[] | undefined;
  for (const column of columns) {
    const cell = hotCell(metadata, column);
    if (cell === irregularCell) {
      values.push(null);
      irregular ??= [];
      irregular.push(pathKey(column.path));
    } else {
      values.push(cell);
    }
  }
  return { values, irregular: irregular ?? none };
}

const none: readonly string[] = [];

function hotCell(metadata: JsonObject | null, column: HotColumn): HotValue | typeof irregularCell {
  let at: JsonValue | undefined = metadata;
  for (const step of column.path) {
    if (isAbsent(at) || isEmptyArray(at)) return null;
    // A path reads a list of one object as that object, so only metadata can answer.
    if (!isJsonObject(at)) return irregularCell;
    at = memberOf(at, step);
  }
  if (isAbsent(at)) return null;
  switch (column.kind) {
    case 'presence':
      if (isEmptyArray(at)) return null;
      return isJsonObject(at) ? true : irregularCell;
    case 'string':
      return typeof at === 'string' ? at : irregularCell;
    case 'int64':
      return int64Cell(at);
    case 'float64':
      return float64Cell(at);
  }
}

function int64Cell(value: JsonValue): HotValue | typeof irregularCell {
  if (typeof value === 'bigint') return value >= int64Min && value <= int64Max ? value : irregularCell;
  // Metadata stores a wider double with other digits.
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) return irregularCell;
  return value === 0 ? 0 : value;
}

function float64Cell(value: JsonValue): HotValue | typeof irregularCell {
  // Metadata stores a whole number beyond 2^53 with other digits than a double of the engine.
  if (typeof value === 'number' && (Number.isSafeInteger(value) || !Number.isInteger(value)))
    return value === 0 ? 0 : value;
  return irregularCell;
}

function isAbsent(value: JsonValue | undefined): value is null | undefined {
  return value === undefined || value === null;
}

function isEmptyArray(value: JsonValue | undefined): boolean {
  return isJsonArray(value) && value.length === 0;
}
