import type { FunctionName } from '../functions/catalogue.ts';
import { parseJsonPath } from '../functions/jsonPath.ts';
import { elementFunctions } from '../resolve/session.ts';
import { walkRelation } from '../resolve/traverse.ts';
import type { CallExpr, Column, Expr, ResolvedQuery } from '../resolve/tree.ts';
import { Lineage, valuesIn } from './lineage.ts';

/**
 * Whether a value in an output column may be an element of a JSON array, read by its position or by UNNEST, such as
 * `m.pairs[0][1]` of `[["authorization", "…"]]`. Only the elements around it tell whether it is a secret. A member of an
 * element does not count, because it has a name of its own.
 */
export function readsElements(query: Pick<ResolvedQuery, 'relation' | 'columns'>): boolean {
  const search = new ElementSearch(query);
  return query.columns.some(({ column }) => search.inColumn(column));
}

class ElementSearch {
  readonly #lineage: Lineage;
  /** Elements of JSON arrays that UNNEST gives, with the value that they are read from. */
  readonly #elements = new Map<Column, Expr>();
  readonly #known = new Map<Column, boolean>();

  constructor({ relation }: Pick<ResolvedQuery, 'relation'>) {
    this.#lineage = new Lineage(relation);
    walkRelation(relation, {
      relation: (each) => {
        if (each.kind === 'unnestRecord') this.#elements.set(each.alias, each.value);
      },
    });
  }

  inColumn(column: Column): boolean {
    const known = this.#known.get(column);
    if (known !== undefined) return known;
    // A column that is computed from itself adds nothing.
    this.#known.set(column, false);
    const element = this.#elements.get(column);
    const found =
      (element !== undefined && !this.#isMetadata(element)) ||
      this.#lineage.madeOf(column).some((expr) => this.#in(expr));
    this.#known.set(column, found);
    return found;
  }

  /** UNNEST of `metadata` itself gives the object. */
  #isMetadata(expr: Expr): boolean {
    return this.#lineage.of(expr).every((path) => path.length === 1 && path[0] === 'metadata');
  }

  #in(expr: Expr): boolean {
    if (expr.type.kind === 'BOOL') return false;
    if (expr.kind === 'column') return this.inColumn(expr.column);
    if (expr.kind === 'pathRead') return expr.path.length === 0 && this.#in(expr.base);
    if (expr.kind === 'call') {
      const how = isElement(expr);
      if (how !== undefined) return how;
    }
    return valuesIn(expr).some((value) => this.#in(value));
  }
}

const arraysOfElements: ReadonlySet<FunctionName> = new Set([
  ...(['json_value_array', 'json_query_array', 'json_extract_array', 'json_extract_string_array'] as const),
]);
const readsByPath: ReadonlySet<FunctionName> = new Set([
  ...(['json_value', 'json_query', 'json_extract', 'json_extract_scalar'] as const),
]);

/** Whether a call reads an element; undefined if that depends on its operands. */
function isElement({ fn, args }: CallExpr): boolean | undefined {
  const [first, second] = args;
  if (arraysOfElements.has(fn)) return true;
  if (elementFunctions.has(fn)) return first?.kind !== 'part' && first?.type.kind === 'JSON' ? true : undefined;
  if (!readsByPath.has(fn) || second === undefined) return undefined;
  if (second.kind !== 'literal' || typeof second.value !== 'string') return true;
  const path = parseJsonPath(second.value, 'legacy');
  const last = path.kind === 'path' ? path.steps.at(-1) : undefined;
  return last === undefined ? undefined : last.kind === 'element';
}
