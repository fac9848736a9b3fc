import type { FunctionName } from '../functions/catalogue.ts';
import { type Passing, passing } from '../functions/passing.ts';
import { walkRelation } from '../resolve/traverse.ts';
import type { AggregateCall, CallArgument, CallExpr, CastExpr, Column, Expr, ResolvedQuery } from '../resolve/tree.ts';
import type { Position } from '../syntax/position.ts';
import { isApart, joinedPieces } from './joinedTexts.ts';
import { Lineage, type MemberPath, valuesIn } from './lineage.ts';

/** How a text of an event is altered on its way to an output column. */
export type AlteredHow = 'joined' | 'part' | 'changed';

/** An output column that holds altered texts of events. */
export interface AlteredText {
  /** The name of the output column. */
  readonly output: string;
  readonly how: AlteredHow;
  /** The function that alters them, or CAST. */
  readonly fn: FunctionName | 'cast';
  /** The columns and members whose texts are altered. */
  readonly members: readonly MemberPath[];
  /** All members that the output column is computed from, altered or not. */
  readonly outputMembers: readonly MemberPath[];
  readonly pos: Position;
}

/**
 * For each output column, the outermost place where texts of events are cut, changed, encoded, hashed or joined to other
 * text. Redaction examines finished rows, so it does not recognise personal values there. Truth values, counts and lengths
 * contain no text; times and projects are not personal.
 */
export function alteredTexts(query: Pick<ResolvedQuery, 'relation' | 'columns'>): readonly AlteredText[] {
  const search = new AlterationSearch(query);
  return query.columns.flatMap(({ name, column }): readonly AlteredText[] => {
    const found = search.inColumn(column, new Set());
    return found === null ? [] : [{ output: name, ...found, outputMembers: search.lineage.ofColumn(column) }];
  });
}

type Alteration = Omit<AlteredText, 'output' | 'outputMembers'>;

class AlterationSearch {
  readonly lineage: Lineage;
  /** The lineage through texts only: a number contains no text, however it was computed. */
  readonly #texts: Lineage;
  /** Aggregate and window calls by their column. */
  readonly #calls = new Map<Column, AggregateCall>();

  constructor({ relation }: Pick<ResolvedQuery, 'relation'>) {
    this.lineage = new Lineage(relation);
    this.#texts = new Lineage(relation, holdsNoText);
    walkRelation(relation, {
      relation: (each) => {
        const calls = each.kind === 'aggregate' ? each.aggregates : each.kind === 'window' ? each.calls : [];
        for (const call of calls) this.#calls.set(call.column, call);
      },
    });
  }

  /** `seen`: the columns that were already searched. */
  inColumn(column: Column, seen: Set<Column>): Alteration | null {
    if (seen.has(column)) return null;
    seen.add(column);
    const call = this.#calls.get(column);
    const own = call === undefined ? null : this.#ofCall(call, call.args);
    return own ?? this.#inAll(this.lineage.madeOf(column), seen);
  }

  #inAll(exprs: readonly Expr[], seen: Set<Column>): Alteration | null {
    for (const expr of exprs) {
      const found = this.#in(expr, seen);
      if (found !== null) return found;
    }
    return null;
  }

  #in(expr: Expr, seen: Set<Column>): Alteration | null {
    if (expr.type.kind === 'BOOL') return null;
    if (expr.kind === 'column') return this.inColumn(expr.column, seen);
    if (expr.kind === 'call' && passing[expr.fn] === 'size') return null;
    return this.#own(expr) ?? this.#inAll(valuesIn(expr), seen);
  }

  #own(expr: Expr): Alteration | null {
    if (expr.kind === 'cast') return this.#ofCast(expr);
    return expr.kind === 'call' ? this.#ofCall(expr, expr.args) : null;
  }

  /** A cast between texts and bytes: bytes are written in base64. */
  #ofCast({ type, value, pos }: CastExpr): Alteration | null {
    const isEncoded = (type.kind === 'BYTES') !== (value.type.kind === 'BYTES');
    const members = isEncoded ? this.#membersOf([value]) : [];
    return members.length === 0 ? null : { how: 'changed', fn: 'cast', members, pos };
  }

  #ofCall(
    call: Pick<CallExpr, 'fn' | 'type' | 'pos'> | AggregateCall,
    args: readonly CallArgument[],
  ): Alteration | null {
    const { fn, pos } = call;
    const how = passing[fn];
    if (how !== 'joined' && how !== 'part' && how !== 'changed') return null;
    const values = args.flatMap((arg) => (arg.kind === 'part' ? [] : [arg]));
    if (isTrimOfBlanks(fn, values)) return null;
    const altered = how === 'joined' ? this.#touched(call, values) : { how, values };
    const members = this.#membersOf(altered.values);
    return members.length === 0 ? null : { how: altered.how, fn, members, pos };
  }

  /** The values that a joining call cuts, or puts next to other text. */
  #touched(
    call: Pick<CallExpr, 'fn' | 'type'> | AggregateCall,
    values: readonly Expr[],
  ): { readonly how: AlteredHow; readonly values: readonly Expr[] } {
    const made = 'column' in call ? call.column.type : call.type;
    if (made.kind === 'ARRAY') return { how: 'joined', values: [] };
    const pieces = joinedPieces({ fn: call.fn, args: values });
    if (pieces === null) return { how: 'joined', values };
    const texts = pieces.flatMap((piece) => (piece.kind === 'value' ? [piece] : []));
    const cut = texts.filter(({ isCut, value }) => isCut && this.#membersOf([value]).length > 0);
    if (cut.length > 0) return { how: 'part', values: cut.map(({ value }) => value) };
    const touched = pieces.flatMap((piece, i) =>
      piece.kind === 'value' && !isApart(pieces[i - 1], pieces[i + 1]) ? [piece.value] : [],
    );
    return { how: 'joined', values: touched };
  }

  /** The members that the expressions read, except projects, which redaction does not change. */
  #membersOf(exprs: readonly Expr[]): readonly MemberPath[] {
    const paths = exprs.flatMap((expr) => this.#texts.of(expr)).filter(([name]) => name !== 'project');
    return [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
  }
}

const textless: ReadonlySet<string> = new Set([
  ...['BOOL', 'INT64', 'FLOAT64', 'TIMESTAMP', 'DATETIME', 'DATE', 'TIME', 'INTERVAL'],
]);

const holdsNoText = (expr: Expr): boolean =>
  textless.has(expr.type.kind) || (expr.kind === 'call' && workedOut.has(passing[expr.fn]));

/** Classes whose results contain no text from a sender, such as the name of a type or a formatted time. */
const workedOut: ReadonlySet<Passing> = new Set(['nothing', 'size', 'measure']);

/** TRIM without a second argument removes white space, which is never part of a personal value. */
const isTrimOfBlanks = (fn: string, values: readonly Expr[]): boolean =>
  (fn === 'trim' || fn === 'ltrim' || fn === 'rtrim') && values.length === 1;
