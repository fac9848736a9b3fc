import type { Shape } from '../../sources/shape.ts';
import type { SqlType, StructField } from '../types.ts';
import type { Column, Expr, Relation } from './tree.ts';

/** A column that a FROM item offers by name. */
export interface NamedColumn {
  /** Empty for an unnamed column, which only `*` reaches. */
  readonly name: string;
  readonly expr: Expr;
}

/** A table or subquery: its columns by name. */
interface NamedTable {
  readonly kind: 'table';
  readonly name: string | null;
  readonly columns: readonly NamedColumn[];
}

/** What one alias in FROM brings into scope. */
export type RangeVariable = (
  | NamedTable
  /** An unnested JSON value: its members by name, the declared ones also unqualified. */
  | {
      readonly kind: 'record';
      readonly name: string | null;
      readonly column: Column;
      readonly shape: Shape | undefined;
    }
  /** An element of a typed array, or an offset. */
  | { readonly kind: 'value'; readonly name: string | null; readonly column: Column }
) & {
  /**
   * Restricts how its columns are reached: `bare` unqualified and by `*`, `qualified` by the alias. Absent: both.
   * JOIN … USING and some pipe operators make the two differ.
   */
  readonly reach?: 'bare' | 'qualified';
};

export type TableVariable = Extract<RangeVariable, { kind: 'table' }>;

/** The result of FROM: rows, and the names for their columns. */
export interface RangeTable {
  readonly relation: Relation;
  readonly variables: readonly RangeVariable[];
}

export type Aliases = ReadonlyMap<string, readonly Expr[]>;

/** What names can mean at one place in the text, innermost first. */
export class NameScope {
  readonly parent: NameScope | null;
  readonly variables: readonly RangeVariable[];
  /** Select aliases by lower-case name, if the clause may use them. They take precedence over columns; a name given twice is ambiguous. */
  readonly aliases: Aliases;

  constructor(parent: NameScope | null, variables: readonly RangeVariable[], aliases: Aliases = new Map()) {
    this.parent = parent;
    this.variables = variables;
    this.aliases = aliases;
  }

  withAliases(aliases: Aliases): NameScope {
    return new NameScope(this.parent, this.variables, aliases);
  }
}

export const sameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** The member names that a shape declares. */
export function declaredMembers(shape: Shape | undefined): readonly string[] {
  return shape?.kind === 'object' ? Object.keys(shape.members) : [];
}

/** The fields of a STRUCT type; empty for other types. */
export function structFields(type: SqlType): readonly StructField[] {
  return type.kind === 'STRUCT' ? type.fields : [];
}
