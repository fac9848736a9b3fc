import type { Shape } from '../../sources/shape.ts';
import { shapeAt } from '../../sources/shape.ts';
import type { Source } from '../../sources/source.ts';
import { defaultEngineLimits, type EngineLimits } from '../engineLimits.ts';
import type { Position } from '../syntax/position.ts';
import type { SqlType } from '../types.ts';
import type { ParameterType } from './parameterValue.ts';
import type { Column, Expr, Notice } from './tree.ts';

/** Element access: an object counts as an array of one. */
export const elementFunctions: ReadonlySet<string> = new Set([
  '$array_at',
  '$ordinal_at',
  '$safe_array_at',
  '$safe_ordinal_at',
]);

/** What one compilation knows and collects, whatever clause it is in. */
export class ResolveSession {
  /** What `sources.<name>` may name; null where the text is a caller's. */
  readonly sources: ReadonlyMap<string, Source> | null;
  readonly parameters: ReadonlyMap<string, ParameterType>;
  readonly notices: Notice[] = [];
  readonly usedParameters = new Set<string>();
  /** Whether results of the query are kept. */
  readonly isCached: boolean;
  /** Of the engine that is to run the query. */
  readonly limits: EngineLimits;
  usesNow = false;
  isVolatile = false;
  /** The session of the stored query whose tables a caller's text reads; it is not changed. */
  readonly #origin: ResolveSession | null;
  /** The GoogleSQL that is compiled; empty where the tree was made of something else. */
  readonly #text: string;
  #nextId: number;
  readonly #shapes = new Map<Column, Shape>();
  readonly #objects = new Set<Column>();
  readonly #wholes = new Set<Column>();

  constructor(
    sources: ReadonlyMap<string, Source> | null,
    parameters: ReadonlyMap<string, ParameterType>,
    {
      origin = null,
      isCached = false,
      text = '',
      limits = defaultEngineLimits,
    }: {
      origin?: ResolveSession | null;
      isCached?: boolean | undefined;
      text?: string | undefined;
      limits?: EngineLimits | undefined;
    } = {},
  ) {
    this.sources = sources;
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

  newColumn(name: string, type: SqlType): Column {
    return { id: this.newId(), name, type };
  }

  /** A column that holds the value of `expr`, with what is known of the form of its JSON. */
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

  /** Marks a column whose object is written as itself in the `records` profile. */
  markObject(column: Column): void {
    this.#objects.add(column);
  }

  /** Marks a column that holds whole metadata: an object or NULL, never a text. */
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

  /** Whether a literal is written in double quotes, in which other dialects write names. */
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
