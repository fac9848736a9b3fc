import type { Shape } from '../../sources/shape.ts';
import type { SqlType } from '../types.ts';
import type { Column, Expr } from './tree.ts';

/** A column that a FROM item offers by name. */
export interface NamedColumn {
  /** Empty for an unnamed one, which only `*` reaches. */
  readonly name: string;
  readonly column: Column;
}

/** What FROM puts into scope under one alias. */
export type RangeVariable =
  /** A table or subquery: its columns by name. */
  | { readonly kind: 'table'; readonly name: string | null; readonly columns: readonly NamedColumn[] }
  /** An unnested JSON value: its members by name, the known ones without qualifier too. */
  | {
      readonly kind: 'record';
      readonly name: string | null;
      readonly column: Column;
      readonly shape: Shape | undefined;
    }
  /** An element of a typed array, or an offset. */
  | { readonly kind: 'value'; readonly name: string | null; readonly column: Column };

/** What the names of a query text can mean at one place, innermost first. */
export class Scope {
  readonly parent: Scope | null;
  readonly variables: readonly RangeVariable[];
  /** Columns of JOIN … USING: one name for both sides. */
  readonly merged: ReadonlyMap<string, Expr>;
  /** Select aliases, where a clause may use them; they win over columns. */
  readonly aliases: ReadonlyMap<string, Expr>;

  constructor(
    parent: Scope | null,
    variables: readonly RangeVariable[],
    merged: ReadonlyMap<string, Expr> = new Map(),
    aliases: ReadonlyMap<string, Expr> = new Map(),
  ) {
    this.parent = parent;
    this.variables = variables;
    this.merged = merged;
    this.aliases = aliases;
  }

  withAliases(aliases: ReadonlyMap<string, Expr>): Scope {
    return new Scope(this.parent, this.variables, this.merged, aliases);
  }
}

export const sameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** The members that a shape declares, or none. */
export function declaredMembers(shape: Shape | undefined): readonly string[] {
  return shape?.kind === 'object' ? Object.keys(shape.members) : [];
}

/** The fields that a value offers without qualifier. */
export function structFields(type: SqlType): readonly { name: string; type: SqlType }[] {
  return type.kind === 'STRUCT' ? type.fields : [];
}
