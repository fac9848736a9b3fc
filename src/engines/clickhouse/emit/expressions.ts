import { assertNever } from '../../../core/assertNever.ts';
import type { CallArgument, CallExpr, Column, Expr } from '../../../googlesql/resolve/tree.ts';
import { emitCast } from './casts.ts';
import type { Cells, Member } from './cells.ts';
import { emitExists } from './existsElement.ts';
import { hasJson, readJson, readText } from './jsonRead.ts';
import { emitLiteral } from './literal.ts';
import { notPushed } from './notPushed.ts';
import { nameOf, type Place } from './place.ts';
import { pushedFunctions } from './pushedFunctions.ts';
import type { ScanContext } from './scanContext.ts';

/** Longer texts are not sent: parts of an expression are repeated in the text. */
const charsMax = 60_000;
/** The most characters of all texts that are written at one place, each as often as it becomes a part of another one. */
const writtenMax = 4_000_000;

/** Writes the expressions at one place of a query. */
export class ExpressionWriter implements Place {
  readonly cells: Cells;
  readonly scans: readonly ScanContext[];
  #writtenChars = 0;

  constructor(cells: Cells, scans: readonly ScanContext[]) {
    this.cells = cells;
    this.scans = scans;
  }

  expr(expr: Expr): string {
    const sql = this.#written(expr);
    this.#writtenChars += sql.length;
    if (sql.length > charsMax || this.#writtenChars > writtenMax) notPushed('an expression that is too long');
    return sql;
  }

  member(expr: CallArgument): Member | null {
    if (expr.kind === 'column') {
      const cell = this.cells.get(expr.column);
      return cell?.kind === 'json' ? cell : null;
    }
    if (expr.kind !== 'pathRead') return null;
    const base = this.member(expr.base);
    return base === null ? null : { ...base, path: [...base.path, ...expr.path] };
  }

  stored(expr: CallArgument): string | null {
    const cell = expr.kind === 'column' ? this.cells.get(expr.column) : undefined;
    return cell?.kind === 'value' ? (cell.stored ?? null) : null;
  }

  with(column: Column, sql: string): Place {
    const cells = new Map(this.cells).set(column, { kind: 'value', sql, isFinite: false });
    return new ExpressionWriter(cells, this.scans);
  }

  isFinite(expr: CallArgument): boolean {
    if (expr.kind === 'part' || expr.type.kind !== 'FLOAT64') return false;
    switch (expr.kind) {
      case 'column': {
        const cell = this.cells.get(expr.column);
        return cell?.kind === 'value' && cell.isFinite;
      }
      case 'literal':
        return expr.value === null || Number.isFinite(Number(expr.value));
      case 'pathRead':
        return expr.base.type.kind !== 'FLOAT64' || this.isFinite(expr.base);
      case 'cast':
        return expr.value.type.kind === 'INT64';
      case 'call':
        return (expr.fn === 'coalesce' || expr.fn === 'ifnull') && expr.args.every((arg) => this.isFinite(arg));
      default:
        return false;
    }
  }

  #written(expr: Expr): string {
    switch (expr.kind) {
      case 'literal':
        return emitLiteral(expr.type, expr.value);
      case 'column': {
        const cell = this.cells.get(expr.column);
        switch (cell?.kind) {
          case 'value':
            return cell.sql;
          case 'deferred':
            return notPushed(cell.reason);
          case 'sealed':
            return notPushed('a redacted value');
          case 'kept':
            return notPushed(cell.reason);
          case undefined:
            return notPushed('a column of another part of the query');
          default:
            return notPushed('a nested value as a whole');
        }
      }
      case 'pathRead': {
        const member = this.member(expr);
        if (member !== null) return readJson(member, expr.wanted);
        const from = expr.base.type.kind;
        if (from === expr.wanted && expr.path.length === 0) return this.expr(expr.base);
        if (from === 'INT64' && expr.wanted === 'FLOAT64') return `toFloat64(${this.expr(expr.base)})`;
        if (from === 'INT64' && expr.wanted === 'STRING') return `toString(${this.expr(expr.base)})`;
        if (from === 'STRING' && expr.path.length === 0) return readText(this.expr(expr.base), expr.wanted);
        return notPushed(`a nested ${from} read as ${expr.wanted}`);
      }
      case 'call':
        return this.#call(expr);
      case 'cast':
        return emitCast(expr, this);
      case 'case': {
        const branches = expr.branches.map(({ when, value }) => `${this.expr(when)}, ${this.expr(value)}`);
        const otherwise = expr.otherwise === null ? 'NULL' : this.expr(expr.otherwise);
        return `multiIf(${branches.join(', ')}, ${otherwise})`;
      }
      case 'subquery':
        return emitExists(expr, this);
      case 'inSubquery':
        return notPushed('a subquery');
      case 'array':
      case 'struct':
      case 'structField':
        return notPushed(`a value of type ${expr.type.kind}`);
      case 'parameter':
      case 'now':
        throw new Error(`a ${expr.kind} was not bound before emission`);
      default:
        return assertNever(expr);
    }
  }

  #call(call: CallExpr): string {
    const [value] = call.args;
    const member = call.fn === '$is_null' && value !== undefined ? this.member(value) : null;
    if (member !== null) return `(NOT ${hasJson(member)})`;
    const write = pushedFunctions[call.fn] ?? notPushed(nameOf(call.fn));
    return write(call, this);
  }
}
