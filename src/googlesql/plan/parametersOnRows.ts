import { mapExpr, outputColumns, walkRelation } from '../resolve/traverse.ts';
import type { AggregateCall, CallArgument, Column, Expr, Relation, ScanRelation } from '../resolve/tree.ts';
import { chosenColumns } from './chosenColumns.ts';

/** What a value is computed from. */
interface Made {
  readonly parameters: ReadonlySet<string>;
  /** Whether it contains anything from a sender of events, except times and projects. */
  readonly hasRowText: boolean;
}

const nothing: Made = { parameters: new Set(), hasRowText: false };

/** Functions that choose or combine their operands without reading texts. */
const choosing: ReadonlySet<string> = new Set(['$and', '$or', '$not', 'if', 'ifnull', 'coalesce']);

/** Functions that count values without revealing them. */
const counting: ReadonlySet<string> = new Set(['count', 'countif', 'approx_count_distinct']);

/**
 * The parameters that are compared, searched or otherwise combined with values from senders of events, directly or through
 * columns. By choosing their values, a caller could find out what redacted rows hide. Parameters that meet only times,
 * projects and row counts, or that are compared with an `id` for equality, do not count. The relation must be unbound.
 */
export function parametersOnRows(relation: Relation): ReadonlySet<string> {
  return new ParameterMeetings(relation).met;
}

class ParameterMeetings {
  readonly met = new Set<string>();
  /** The expressions that columns are computed from. */
  readonly #sources = new Map<Column, readonly Expr[]>();
  readonly #scans = new Map<Column, { readonly scan: ScanRelation; readonly name: string }>();
  readonly #made = new Map<Column, Made>();
  /** Parameters that choose the value of a column without being part of it. */
  readonly #chosen: ReadonlyMap<Column, ReadonlySet<string>>;
  readonly #choices = new Map<Column, readonly Expr[]>();

  constructor(root: Relation) {
    walkRelation(root, { relation: (relation) => this.#note(relation) });
    this.#chosen = chosenColumns(root);
    walkRelation(root, { expr: (expr) => this.#check(expr), relation: (relation) => this.#checkRelation(relation) });
  }

  #note(relation: Relation): void {
    switch (relation.kind) {
      case 'scan':
        for (const [name, column] of Object.entries(relation.columns))
          this.#scans.set(column, { scan: relation, name });
        return;
      case 'project':
        for (const { column, expr } of relation.items) this.#sources.set(column, [expr]);
        return;
      case 'unnestRecord':
        this.#sources.set(relation.alias, [relation.value]);
        return;
      case 'unnestArray':
        this.#sources.set(relation.element, [relation.value]);
        return;
      case 'aggregate':
        for (const { column, expr } of relation.keys) this.#sources.set(column, [expr]);
        for (const call of relation.aggregates) this.#sources.set(call.column, counted(call) ? [] : operandsOf(call));
        return;
      case 'window':
        for (const call of relation.calls) {
          const order = [...call.partitionBy, ...call.orderBy.map(({ expr }) => expr)];
          this.#sources.set(call.column, counted(call) ? [] : [...operandsOf(call), ...order]);
        }
        return;
      case 'setOperation':
        for (const [i, column] of relation.columns.entries()) {
          this.#sources.set(
            column,
            relation.inputs.flatMap((input) => read(input.columns[i])),
          );
        }
        return;
      case 'withReference':
        for (const [i, column] of relation.columns.entries())
          this.#sources.set(column, read(relation.table.columns[i]));
        return;
      default:
    }
  }

  #ofColumn(column: Column): Made {
    const known = this.#made.get(column);
    if (known !== undefined) return known;
    const at = this.#scans.get(column);
    const made =
      at === undefined
        ? withChoice(this.#ofAll(this.#sources.get(column) ?? []), this.#chosen.get(column))
        : { ...nothing, hasRowText: at.name !== 'timestamp' && at.name !== 'project' };
    this.#made.set(column, made);
    return made;
  }

  #ofAll(exprs: readonly CallArgument[]): Made {
    const all = exprs.map((expr) => this.#of(expr));
    return {
      parameters: new Set(all.flatMap(({ parameters }) => [...parameters])),
      hasRowText: all.some(({ hasRowText }) => hasRowText),
    };
  }

  #of(expr: CallArgument): Made {
    switch (expr.kind) {
      case 'part':
        return nothing;
      case 'parameter':
        return { parameters: new Set([expr.name]), hasRowText: false };
      case 'column':
        return this.#ofColumn(expr.column);
      case 'pathRead':
        return this.#isProject(expr) ? nothing : this.#of(expr.base);
      case 'subquery':
        return expr.column === null ? nothing : this.#ofColumn(expr.column);
      default:
        return this.#ofAll(operands(expr));
    }
  }

  /** Whether the expression reads the member that ingestion keeps equal to the event's project. */
  #isProject(expr: Expr): boolean {
    if (expr.kind !== 'pathRead' || expr.path.length !== 1) return false;
    const field = this.#scanColumn(expr.base, 'metadata')?.source.projectField;
    return field?.kind === 'metadata' && field.member === expr.path[0];
  }

  /** The scan whose column `name` the expression is, also under another name; null if there is none. */
  #scanColumn(expr: CallArgument, name: string): ScanRelation | null {
    if (expr.kind === 'pathRead' && expr.path.length === 0) return this.#scanColumn(expr.base, name);
    if (expr.kind !== 'column') return null;
    const at = this.#scans.get(expr.column);
    if (at !== undefined) return at.name === name ? at.scan : null;
    const [source, ...more] = this.#sources.get(expr.column) ?? [];
    return source === undefined || more.length > 0 ? null : this.#scanColumn(source, name);
  }

  #check(expr: Expr): void {
    if (expr.kind === 'case' || (expr.kind === 'call' && choosing.has(expr.fn))) return;
    const parts: readonly CallArgument[] =
      expr.kind === 'inSubquery'
        ? [expr.value, { kind: 'column', type: expr.column.type, column: expr.column }]
        : operands(expr);
    const isEquality = expr.kind === 'call' && (expr.fn === '$eq' || expr.fn === '$in');
    const unasked = isEquality ? parts.filter((part) => this.#scanColumn(part, 'id') === null) : parts;
    this.#meet(unasked);
  }

  #checkRelation(relation: Relation): void {
    switch (relation.kind) {
      case 'aggregate':
        for (const call of relation.aggregates) this.#meetOfRows(operandsOf(call));
        for (const { expr } of relation.keys) this.#meetOfRows([expr]);
        return;
      case 'window':
        for (const call of relation.calls) {
          this.#meetOfRows([...operandsOf(call), ...call.partitionBy]);
          for (const { expr } of call.orderBy) this.#meetOfRows([expr]);
        }
        return;
      case 'sort':
        for (const { expr } of relation.keys) this.#meetOfRows([expr]);
        return;
      case 'distinct':
        for (const column of outputColumns(relation)) this.#meetOfRows(read(column));
        return;
      case 'setOperation':
        for (const column of relation.columns) this.#meet(this.#sources.get(column) ?? []);
        return;
      default:
    }
  }

  /** Records operands that are compared across rows: a parameter in one row meets the text in another. */
  #meetOfRows(operandsOfRows: readonly Expr[]): void {
    this.#meet(operandsOfRows.flatMap((operand) => this.#choicesOf(operand)));
  }

  /** The expressions that can give the value of an expression. */
  #choicesOf(expr: Expr): readonly Expr[] {
    switch (expr.kind) {
      case 'case': {
        const { branches, otherwise } = expr;
        const values = [...branches.map(({ value }) => value), ...(otherwise === null ? [] : [otherwise])];
        return values.flatMap((value) => this.#choicesOf(value));
      }
      case 'call': {
        if (!choosing.has(expr.fn)) return [expr];
        const values = expr.args.slice(expr.fn === 'if' ? 1 : 0).flatMap((arg) => (arg.kind === 'part' ? [] : [arg]));
        return values.flatMap((value) => this.#choicesOf(value));
      }
      case 'column': {
        const sources = this.#sources.get(expr.column) ?? [];
        const known = this.#choices.get(expr.column);
        const choices = known ?? [...new Set(sources.flatMap((source) => this.#choicesOf(source)))];
        this.#choices.set(expr.column, choices);
        return choices.length === 0 ? [expr] : choices;
      }
      default:
        return [expr];
    }
  }

  /** Records the operands of one operation: a parameter in one meets the text in another. */
  #meet(operandsOfOne: readonly CallArgument[]): void {
    const made = operandsOfOne.map((operand) => this.#of(operand));
    for (const [i, { parameters }] of made.entries()) {
      if (!made.some((other, j) => j !== i && other.hasRowText)) continue;
      for (const name of parameters) this.met.add(name);
    }
  }
}

/** Adds the parameters that chose a value. If the value has texts of senders, the condition has already met them, or reads only times and projects. */
const withChoice = (made: Made, chosen: ReadonlySet<string> = new Set()): Made =>
  made.hasRowText || chosen.size === 0 ? made : { ...made, parameters: new Set([...made.parameters, ...chosen]) };

const counted = ({ fn }: AggregateCall): boolean => counting.has(fn);

const operandsOf = ({ args, modifiers }: AggregateCall): readonly Expr[] => [
  ...args.flatMap((arg) => (arg.kind === 'part' ? [] : [arg])),
  ...modifiers.orderBy.map(({ expr }) => expr),
];

const read = (column: Column | undefined): readonly Expr[] =>
  column === undefined ? [] : [{ kind: 'column', type: column.type, column }];

/** The direct operands of an expression, except subqueries. */
function operands(expr: Expr): readonly Expr[] {
  const found: Expr[] = [];
  mapExpr(expr, {
    relation: (relation) => relation,
    expr: (operand) => {
      found.push(operand);
      return operand;
    },
  });
  return found;
}
