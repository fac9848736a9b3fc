import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  memberNames,
  memberOf,
} from '../../core/jsonValue.ts';
import { DistinctEstimate } from './distinctEstimate.ts';
import { type FrequentValue, FrequentValues, type ScalarValue } from './frequentValues.ts';
import type { MemberStep } from './memberPath.ts';

/** Types of JSON values, in the order in which they are listed. */
export const memberTypes = ['OBJECT', 'ARRAY', 'STRING', 'INT64', 'FLOAT64', 'BOOL', 'NULL'] as const;

export type MemberType = (typeof memberTypes)[number];

/** What the rows that were read have at one path. */
export interface TalliedMember {
  readonly path: readonly MemberStep[];
  readonly types: readonly MemberType[];
  /** Weight of the rows that have the member, also with the value null. */
  readonly weight: number;
  /** Approximate number of distinct scalar values. */
  readonly distinct: number;
  /** The most frequent scalar values, and their weight among all scalar values of the member. */
  readonly values: readonly FrequentValue[];
  readonly valuesWeight: number;
  /** Times of the first and last row that have it, microseconds since 1970; null if rows have no time. */
  readonly firstMicros: number | null;
  readonly lastMicros: number | null;
}

/** Limits, because senders choose the names of members. */
export interface TallyBounds {
  /** Members of a table. */
  readonly membersMax: number;
  /** Values looked at in one row. */
  readonly valuesPerRowMax: number;
  /** Steps of a path. */
  readonly depthMax: number;
  /** Characters of a name. */
  readonly nameCharsMax: number;
}

export const defaultTallyBounds: TallyBounds = {
  membersMax: 3_000,
  valuesPerRowMax: 5_000,
  depthMax: 32,
  nameCharsMax: 256,
};

/** Values listed for each member. */
const listedValuesMax = 5;

interface Node {
  readonly step: MemberStep;
  readonly below: Map<string, Node>;
  /** The elements of arrays. */
  elements: Node | null;
  /** Bits by the index in `memberTypes`. */
  types: number;
  weight: number;
  lastRow: number;
  distinct: DistinctEstimate | null;
  values: FrequentValues | null;
  valuesWeight: number;
  firstMicros: number | null;
  lastMicros: number | null;
}

const newNode = (step: MemberStep): Node => ({
  step,
  below: new Map(),
  elements: null,
  types: 0,
  weight: 0,
  lastRow: 0,
  distinct: null,
  values: null,
  valuesWeight: 0,
  firstMicros: null,
  lastMicros: null,
});

/** Collects the members of rows, at any depth, in bounded memory and time. */
export class MemberTally {
  readonly #bounds: TallyBounds;
  readonly #root = newNode('');
  #members = 0;
  #rows = 0;
  #values = 0;
  /** Whether some members were left out because of a limit. */
  hasLeftOut = false;

  constructor(columns: readonly string[], bounds: TallyBounds = defaultTallyBounds) {
    this.#bounds = bounds;
    for (const column of columns) this.#root.below.set(column, newNode(column));
  }

  /**
   * Adds a row, whose members are the columns. A row that stands for others has their number as its weight. Returns the
   * number of values that were looked at.
   */
  add(row: JsonObject, weight: number, micros: number | null): number {
    this.#rows += 1;
    this.#values = 0;
    for (const [column, node] of this.#root.below) {
      const value = memberOf(row, column) ?? null;
      if (value !== null) this.#visit(node, value, weight, micros, 1);
    }
    return this.#values;
  }

  /** In the order of paths: by names, a member before those below it. */
  *members(): Generator<TalliedMember, void> {
    for (const child of sorted(this.#root.below)) yield* talliedBelow(child, []);
  }

  #visit(node: Node, value: JsonValue, weight: number, micros: number | null, depth: number): void {
    this.#values += 1;
    if (node.lastRow !== this.#rows) {
      node.lastRow = this.#rows;
      node.weight += weight;
      if (micros !== null) {
        node.firstMicros = Math.min(node.firstMicros ?? micros, micros);
        node.lastMicros = Math.max(node.lastMicros ?? micros, micros);
      }
    }
    node.types |= 1 << memberTypes.indexOf(typeOf(value));
    if (isJsonObject(value)) {
      for (const name of memberNames(value)) {
        const child = this.#childOf(node, name, depth);
        if (child === null) this.hasLeftOut = true;
        else this.#visit(child, memberOf(value, name) ?? null, weight, micros, depth + 1);
      }
    } else if (isJsonArray(value)) {
      for (const element of value) {
        if (this.#isOver(depth) || (node.elements === null && this.#isFull())) {
          this.hasLeftOut = true;
          break;
        }
        node.elements ??= this.#made(null);
        this.#visit(node.elements, element, weight, micros, depth + 1);
      }
    } else if (value !== null) addScalar(node, value, weight);
  }

  /** Null if a limit is reached. */
  #childOf(node: Node, name: string, depth: number): Node | null {
    if (this.#isOver(depth)) return null;
    const known = node.below.get(name);
    if (known !== undefined) return known;
    if (this.#isFull() || name.length > this.#bounds.nameCharsMax) return null;
    const made = this.#made(name);
    node.below.set(name, made);
    return made;
  }

  #made(step: MemberStep): Node {
    this.#members += 1;
    return newNode(step);
  }

  #isFull(): boolean {
    return this.#members >= this.#bounds.membersMax;
  }

  #isOver(depth: number): boolean {
    return depth >= this.#bounds.depthMax || this.#values >= this.#bounds.valuesPerRowMax;
  }
}

function* talliedBelow(node: Node, above: readonly MemberStep[]): Generator<TalliedMember, void> {
  const path = [...above, node.step];
  yield {
    path,
    types: memberTypes.filter((_, bit) => (node.types & (1 << bit)) !== 0),
    weight: node.weight,
    distinct: node.distinct?.count ?? 0,
    values: node.values?.top(listedValuesMax) ?? [],
    valuesWeight: node.valuesWeight,
    firstMicros: node.firstMicros,
    lastMicros: node.lastMicros,
  };
  if (node.elements !== null) yield* talliedBelow(node.elements, path);
  for (const child of sorted(node.below)) yield* talliedBelow(child, path);
}

function addScalar(node: Node, value: ScalarValue, weight: number): void {
  node.distinct ??= new DistinctEstimate();
  node.values ??= new FrequentValues();
  node.distinct.add(typeof value === 'string' ? value : `${typeof value} ${value}`);
  node.values.add(value, weight);
  node.valuesWeight += weight;
}

function typeOf(value: JsonValue): MemberType {
  if (value === null) return 'NULL';
  switch (typeof value) {
    case 'string':
      return 'STRING';
    case 'boolean':
      return 'BOOL';
    case 'bigint':
      return 'INT64';
    case 'number':
      return Number.isInteger(value) ? 'INT64' : 'FLOAT64';
    default:
      return isJsonArray(value) ? 'ARRAY' : 'OBJECT';
  }
}

function sorted(nodes: ReadonlyMap<string, Node>): readonly Node[] {
  return [...nodes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, node]) => node);
}
