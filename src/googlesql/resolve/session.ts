import { ServiceError } from '../../core/errors.ts';
import type { Shape } from '../../sources/shape.ts';
import { shapeAt } from '../../sources/shape.ts';
import type { Source } from '../../sources/source.ts';
import { defaultEngineLimits, type EngineLimits } from '../engineLimits.ts';
import type { Position } from '../syntax/position.ts';
import type { SqlType } from '../types.ts';
import type { ParameterType } from './parameterValue.ts';
import type { Column, Expr, Notice, WithTable } from './tree.ts';
import { measureType } from './typeMeasure.ts';

/** The functions for `[ ]`. An object counts as an array of one element. */
export const elementFunctions: ReadonlySet<string> = new Set([
  '$array_at',
  '$ordinal_at',
  '$safe_array_at',
  '$safe_ordinal_at',
]);

/**
 * The most columns of all tables, subqueries and set operations in one query, with each field of a STRUCT. `*`, USING and a row
 * as a value stand for every column of a table, so a short text can stand for more than can be walked.
 */
export const columnsMax = 10_000;

/** ARRAYs nested less deeply cost nothing. */
const countedArraysMin = 4;

/** The state of one compilation: what it knows and collects across all clauses. */
export class ResolveSession {
  /** The sources that `sources.<name>` may name; null for a caller query. */
  readonly sources: ReadonlyMap<string, Source> | null;
  /** The tables that `INFORMATION_SCHEMA` describes; null for a stored query. */
  readonly sandboxTables: readonly WithTable[] | null;
  readonly parameters: ReadonlyMap<string, ParameterType>;
  readonly notices: Notice[] = [];
  readonly usedParameters = new Set<string>();
  /** Those that are a LIMIT or OFFSET. */
  readonly countParameters = new Set<string>();
  /** Whether results of the query are cached. */
  readonly isCached: boolean;
  /** The limits of the engine that will run the query. */
  readonly limits: EngineLimits;
  usesNow = false;
  isVolatile = false;
  /** The session of the stored query whose tables a caller query reads. It is not modified. */
  readonly #origin: ResolveSession | null;
  /** The GoogleSQL text; empty if the syntax tree does not come from SQL. */
  readonly #text: string;
  #nextId: number;
  #columns = 0;
  #arrayNesting = 0;
  readonly #shapes = new Map<Column, Shape>();
  readonly #objects = new Set<Column>();
  readonly #wholes = new Set<Column>();

  constructor(
    sources: ReadonlyMap<string, Source> | null,
    parameters: ReadonlyMap<string, ParameterType>,
    {
      origin = null,
      sandboxTables = null,
      isCached = false,
      text = '',
      limits = defaultEngineLimits,
    }: {
      origin?: ResolveSession | null;
      sandboxTables?: readonly WithTable[] | null;
      isCached?: boolean | undefined;
      text?: string | undefined;
      limits?: EngineLimits | undefined;
    } = {},
  ) {
    this.sources = sources;
    this.sandboxTables = sandboxTables;
    this.parameters = parameters;
    this.isCached = isCached;
    this.limits = limits;
    this.#origin = origin;
    this.#text = text;
    this.#nextId = origin === null ? 1 : origin.#nextId;
  }

  newId(): number {
    const id = this.#nextId;
    this.#nextId += 1;
    return id;
  }

  /** Counts columns and fields that the text stands for. Throws `sql.too_complex` if they become too many. */
  addColumns(count: number): void {
    this.#columns += count;
    if (this.#columns > columnsMax) throw tooManyColumns();
  }

  /** Counts what the type of an expression or a column costs the engine. Throws `sql.too_complex` if that becomes too much. */
  addType(type: SqlType, ownColumns: 0 | 1): void {
    const { values, arrays } = measureType(type);
    this.addColumns(values - 1 + ownColumns);
    if (arrays < countedArraysMin) return;
    this.#arrayNesting += 2 ** arrays;
    if (this.#arrayNesting > this.limits.arrayNestingMax) throw nestedArrays(arrays);
  }

  newColumn(name: string, type: SqlType): Column {
    this.addType(type, 1);
    return { id: this.newId(), name, type };
  }

  /** Makes a column for the value of `expr`, and keeps what is known about the shape of its JSON. */
  columnFor(name: string, expr: Expr): Column {
    const column = this.newColumn(name, expr.type);
    const shape = this.shapeOf(expr);
    if (shape !== undefined) this.#shapes.set(column, shape);
    if (this.isObjectForm(expr)) this.#objects.add(column);
    if (this.isWholeMetadata(expr)) this.#wholes.add(column);
    return column;
  }

  setShape(column: Column, shape: Shape | undefined): void {
    if (shape !== undefined) this.#shapes.set(column, shape);
  }

  /** Marks a column whose object is not written as an array in the `records` profile. */
  markObject(column: Column): void {
    this.#objects.add(column);
  }

  /** Marks a column that holds a whole metadata object or NULL, and never a string. */
  markWholeMetadata(column: Column): void {
    this.#wholes.add(column);
  }

  isWholeMetadata(expr: Expr): boolean {
    return expr.kind === 'column' && this.#isWhole(expr.column);
  }

  isObjectForm(expr: Expr): boolean {
    if (expr.type.kind === 'STRUCT') return true;
    return expr.kind === 'column' && this.#isObject(expr.column);
  }

  shapeOf(expr: Expr): Shape | undefined {
    if (expr.kind === 'column') return this.#shapeOfColumn(expr.column);
    if (expr.kind === 'call' && elementFunctions.has(expr.fn)) {
      const [array] = expr.args;
      const shape = array === undefined || array.kind === 'part' ? undefined : this.shapeOf(array);
      return shape?.kind === 'array' ? shape.element : shape;
    }
    if (expr.kind !== 'pathRead' || expr.wanted !== 'JSON') return undefined;
    const base = this.shapeOf(expr.base);
    return base === undefined ? undefined : shapeAt(base, expr.path);
  }

  /** Whether a literal is in double quotes, which other dialects use for names. */
  isInDoubleQuotes({ offset }: Position): boolean {
    return this.#text[offset] === '"';
  }

  note(notice: Notice): void {
    const isKnown = this.notices.some((n) => n.code === notice.code && n.message === notice.message);
    if (!isKnown) this.notices.push(notice);
  }

  #isObject(column: Column): boolean {
    if (this.#objects.has(column)) return true;
    return this.#origin === null ? false : this.#origin.#isObject(column);
  }

  #isWhole(column: Column): boolean {
    if (this.#wholes.has(column)) return true;
    return this.#origin === null ? false : this.#origin.#isWhole(column);
  }

  #shapeOfColumn(column: Column): Shape | undefined {
    const shape = this.#shapes.get(column);
    return shape === undefined && this.#origin !== null ? this.#origin.#shapeOfColumn(column) : shape;
  }
}

const nestedArrays = (depth: number): ServiceError =>
  new ServiceError(
    'sql.too_complex',
    `ARRAYs are nested ${depth} levels deep in a value, and each level doubles the time to plan the query; read the inner ones with UNNEST, or select fewer such values`,
  );

const tooManyColumns = (): ServiceError =>
  new ServiceError(
    'sql.too_complex',
    `The tables and subqueries of the query have more than ${columnsMax.toLocaleString('en')} columns together (* stands for every column, and each field of a STRUCT counts); select only the columns that are needed`,
  );
