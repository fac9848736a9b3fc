import type { Expression, Query, SyntaxNode } from './nodes.ts';
import type { Position } from './position.ts';

export type LiteralType = 'string' | 'int64' | 'float64' | 'bool' | 'timestamp' | 'date';

/** How a literal is compared: `min` and `max` include and exclude the value alike. */
export type Comparison = 'equal' | 'not_equal' | 'min' | 'max' | 'element' | 'like' | 'pattern' | 'contains';

/** A literal in the text of a query. */
export interface LiteralPlace {
  readonly pos: Position;
  /** Offset after its last character. */
  readonly end: number;
  readonly type: LiteralType;
  /** The value as text, in the form of a parameter. */
  readonly value: string;
  /** The path that it is compared with, without the name of its table; null if it is not compared with a path. */
  readonly member: readonly string[] | null;
  readonly comparison: Comparison | null;
}

/** An interval of a whole number of units before the current time, in a condition on a timestamp. */
export interface RelativeStart {
  readonly pos: Position;
  readonly end: number;
  readonly count: bigint;
  /** Lower case. */
  readonly unit: string;
}

export interface TextPlaces {
  readonly literals: readonly LiteralPlace[];
  readonly relativeStarts: readonly RelativeStart[];
  /** Calls of CURRENT_TIMESTAMP in conditions on a timestamp. */
  readonly nows: readonly { readonly pos: Position; readonly end: number }[];
}

/** Finds the literals of a query that was parsed from text, in the order of the text. */
export function placesIn(query: Query): TextPlaces {
  const finder = new Finder(query);
  finder.visit(query);
  const inOrder = <Place extends { readonly pos: Position }>(places: readonly Place[]) =>
    places.toSorted((a, b) => a.pos.offset - b.pos.offset);
  return {
    literals: inOrder(finder.literals),
    relativeStarts: inOrder(finder.relativeStarts),
    nows: inOrder(finder.nows),
  };
}

const comparisons: Readonly<Record<string, readonly [asWritten: Comparison, mirrored: Comparison]>> = {
  '=': ['equal', 'equal'],
  '!=': ['not_equal', 'not_equal'],
  '>': ['min', 'max'],
  '>=': ['min', 'max'],
  '<': ['max', 'min'],
  '<=': ['max', 'min'],
};

/** Functions whose first argument is searched for the second. */
const comparingCalls: Readonly<Record<string, Comparison>> = {
  regexp_contains: 'pattern',
  strpos: 'contains',
  contains_substr: 'contains',
  starts_with: 'contains',
  ends_with: 'contains',
};

class Finder {
  readonly literals: LiteralPlace[] = [];
  readonly relativeStarts: RelativeStart[] = [];
  readonly nows: { readonly pos: Position; readonly end: number }[] = [];
  /** Names of tables and their aliases, lower case. */
  readonly #tables: ReadonlySet<string>;
  /** Whether the node is in a condition on a timestamp, and in an interval before now. */
  #isOfTime = false;
  #isBeforeNow = false;

  constructor(query: Query) {
    this.#tables = new Set(tableNames(query));
  }

  visit(node: SyntaxNode): void {
    if (this.#compared(node)) return;
    switch (node.kind) {
      case 'FunctionCall':
        this.#call(node);
        return;
      case 'Interval':
        if (!this.#interval(node)) this.#children(node);
        return;
      default:
        if (!this.#literal(node, null, null)) this.#children(node);
    }
  }

  /** Handles a comparison of a path with other expressions; false if the node is none. */
  #compared(node: SyntaxNode): boolean {
    switch (node.kind) {
      case 'Binary': {
        const [asWritten, mirrored] = comparisons[node.operator] ?? [];
        if (asWritten === undefined || mirrored === undefined) return false;
        const [left, right] = [this.#pathOf(node.left), this.#pathOf(node.right)];
        if (left !== null) this.#operands([[node.right, asWritten]], left, [node.left]);
        else if (right !== null) this.#operands([[node.left, mirrored]], right, [node.right]);
        else return false;
        return true;
      }
      case 'Between': {
        const path = this.#pathOf(node.operand);
        if (path === null) return false;
        this.#operands(
          [
            [node.low, 'min'],
            [node.high, 'max'],
          ],
          path,
          [node.operand],
        );
        return true;
      }
      case 'InList': {
        const path = this.#pathOf(node.operand);
        if (path === null) return false;
        const comparison = node.items.length === 1 && !node.isNegated ? 'equal' : 'element';
        this.#operands(
          node.items.map((item) => [item, comparison]),
          path,
          [node.operand],
        );
        return true;
      }
      case 'Like': {
        const path = this.#pathOf(node.operand);
        if (path === null || node.escape !== undefined) return false;
        this.#operands([[node.pattern, 'like']], path, [node.operand]);
        return true;
      }
      default:
        return false;
    }
  }

  #operands(
    operands: readonly (readonly [Expression, Comparison])[],
    path: readonly string[],
    others: readonly Expression[],
  ): void {
    const before = this.#isOfTime;
    this.#isOfTime ||= path.at(-1)?.toLowerCase() === 'timestamp';
    for (const [operand, comparison] of operands) {
      if (!this.#literal(operand, path, comparison)) this.visit(operand);
    }
    for (const other of others) this.visit(other);
    this.#isOfTime = before;
  }

  #call(node: Extract<SyntaxNode, { kind: 'FunctionCall' }>): void {
    const name = node.name.map((part) => part.name.toLowerCase()).join('.');
    const [first, second] = node.args;
    if (name === 'current_timestamp' && node.args.length === 0 && this.#isOfTime) {
      this.nows.push({ pos: node.pos, end: node.end });
      return;
    }
    const path = first === undefined || !isExpression(first) ? null : this.#pathOf(first);
    const comparison = comparingCalls[name];
    if (comparison !== undefined && path !== null && second !== undefined && isExpression(second)) {
      this.#operands([[second, comparison]], path, []);
      return;
    }
    const before = this.#isBeforeNow;
    this.#isBeforeNow = name === 'timestamp_sub' && this.#isOfTime && first !== undefined && readsNow(first);
    this.#children(node);
    this.#isBeforeNow = before;
  }

  /** Whether the interval is the start of a relative time range. */
  #interval({ value, part, toPart, pos, end }: Extract<SyntaxNode, { kind: 'Interval' }>): boolean {
    if (!this.#isBeforeNow || value.kind !== 'IntegerLiteral' || toPart !== undefined) return false;
    this.relativeStarts.push({ pos, end, count: value.value, unit: part.name.toLowerCase() });
    return true;
  }

  #literal(node: SyntaxNode, member: readonly string[] | null, comparison: Comparison | null): boolean {
    const found = literalOf(node);
    if (found === null) return false;
    this.literals.push({ pos: node.pos, end: node.end, ...found, member, comparison });
    return true;
  }

  #children(node: SyntaxNode): void {
    for (const child of childrenOf(node)) this.visit(child);
  }

  /** The names of a path, also of one that is cast; null for other expressions. */
  #pathOf(node: Expression): readonly string[] | null {
    if (node.kind === 'Cast') return this.#pathOf(node.operand);
    const steps: string[] = [];
    let at: Expression = node;
    for (; at.kind === 'FieldAccess'; at = at.operand) steps.unshift(at.field.name);
    if (at.kind !== 'Name') return null;
    const first = at.name.name;
    return steps.length > 0 && this.#tables.has(first.toLowerCase()) ? steps : [first, ...steps];
  }
}

function literalOf(node: SyntaxNode): Pick<LiteralPlace, 'type' | 'value'> | null {
  switch (node.kind) {
    case 'StringLiteral':
      return { type: 'string', value: node.value };
    case 'IntegerLiteral':
      return node.value < 2n ** 63n ? { type: 'int64', value: String(node.value) } : null;
    case 'FloatLiteral':
      return { type: 'float64', value: String(node.value) };
    case 'BooleanLiteral':
      return { type: 'bool', value: String(node.value) };
    case 'TypedLiteral':
      if (node.type === 'TIMESTAMP') return { type: 'timestamp', value: node.value.value };
      return node.type === 'DATE' ? { type: 'date', value: node.value.value } : null;
    case 'Unary': {
      const of = node.operator === '-' ? literalOf(node.operand) : null;
      return of?.type === 'int64' || of?.type === 'float64' ? { type: of.type, value: `-${of.value}` } : null;
    }
    default:
      return null;
  }
}

function readsNow(node: SyntaxNode): boolean {
  if (node.kind === 'FunctionCall' && node.name.length === 1 && /^current_timestamp$/i.test(node.name[0]?.name ?? '')) {
    return true;
  }
  return childrenOf(node).some(readsNow);
}

/** Tables and their aliases, which paths may begin with. */
function tableNames(node: SyntaxNode): readonly string[] {
  const own: string[] = [];
  if (node.kind === 'TableReference') own.push((node.alias ?? node.path.at(-1))?.name ?? '');
  if (node.kind === 'TableSubquery' && node.alias !== undefined) own.push(node.alias.name);
  return [...own.map((name) => name.toLowerCase()), ...childrenOf(node).flatMap(tableNames)];
}

/** The names of tables that a query reads, lower case, those of its own WITH entries included. */
export function tablesNamed(node: SyntaxNode): readonly string[] {
  const own = node.kind === 'TableReference' && node.path.length === 1 ? [node.path[0]?.name.toLowerCase() ?? ''] : [];
  return [...own, ...childrenOf(node).flatMap(tablesNamed)];
}

const isExpression = (node: SyntaxNode): node is Expression =>
  node.kind !== 'StarArgument' && node.kind !== 'NamedArgument';

function childrenOf(node: SyntaxNode): readonly SyntaxNode[] {
  return Object.values(node).flatMap((member: unknown): readonly SyntaxNode[] => {
    if (Array.isArray(member)) return member.filter(isNode);
    return isNode(member) ? [member] : [];
  });
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'kind' in value;
}
