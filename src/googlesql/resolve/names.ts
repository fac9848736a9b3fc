import { nearestName } from '../../core/nearestName.ts';
import type { Identifier, Position } from '../syntax/nodes.ts';
import { JSON_TYPE, type StructField, structOf } from '../types.ts';
import { named } from './named.ts';
import {
  declaredMembers,
  type NamedColumn,
  type NameScope,
  type RangeVariable,
  sameName,
  structFields,
  type TableVariable,
} from './nameScope.ts';
import type { ResolveSession } from './session.ts';
import { sqlError } from './sqlError.ts';
import type { Column, Expr } from './tree.ts';

/** What a bare name means: a value, or a table alias that needs a column after it. */
export type NameMeaning =
  | { readonly kind: 'value'; readonly expr: Expr }
  | { readonly kind: 'table'; readonly variable: TableVariable };

export const columnExpr = (column: Column): Expr => ({ kind: 'column', type: column.type, column });

/** The most names in one path, in SQL and LQL. Every pass of the compiler and the engine recurses over them. */
export const pathStepsMax = 100;

/** Like `memberOf`, for a name in the text. Throws `sql.too_complex` if it makes the path too long. */
export function namedMember(base: Expr, name: string, pos: Position): Expr {
  if (base.kind === 'pathRead' && base.path.length >= pathStepsMax) {
    throw sqlError(
      'sql.too_complex',
      `The path is too long: at most ${pathStepsMax} names are allowed below its column`,
      pos,
      {
        token: name,
        expected: `at most ${pathStepsMax} names`,
      },
    );
  }
  return memberOf(base, [name]);
}

/** Reads a member of a JSON value, as JSON. */
export function memberOf(base: Expr, path: readonly string[]): Expr {
  if (base.kind === 'pathRead' && base.wanted === 'JSON') return { ...base, path: [...base.path, ...path] };
  return { kind: 'pathRead', type: base.type.kind === 'JSON' ? base.type : JSON_TYPE, base, path, wanted: 'JSON' };
}

/**
 * The meaning of a bare name (googlesql.md, section 2, "Bare names"): a select alias if the clause may use one, then an
 * alias in FROM, then a column, then a member of the one unnested object whose shape declares it; then the same in the
 * enclosing query. Throws `sql.unknown_name` with the nearest name, or `sql.ambiguous_name`.
 */
export function resolveName(name: Identifier, scope: NameScope): NameMeaning {
  for (let at: NameScope | null = scope; at !== null; at = at.parent) {
    const meaning = inScope(name, at);
    if (meaning !== null) return meaning;
  }
  const allowed = namesIn(scope);
  const nearest = nearestName(name.name, allowed);
  throw sqlError('sql.unknown_name', `Unknown column or alias ${quote(name.name)}`, name.pos, {
    token: name.name,
    allowed: allowed.slice(0, 50),
    ...(nearest !== undefined && { nearest }),
  });
}

/** Like `resolveName`, but null for an unknown name. */
export function findName(name: Identifier, scope: NameScope): NameMeaning | null {
  for (let at: NameScope | null = scope; at !== null; at = at.parent) {
    const meaning = inScope(name, at);
    if (meaning !== null) return meaning;
  }
  return null;
}

function inScope(name: Identifier, scope: NameScope): NameMeaning | null {
  const [alias, ...others] = scope.aliases.get(name.name.toLowerCase()) ?? [];
  if (others.length > 0) throw ambiguousAlias(name, others.length + 1);
  if (alias !== undefined) return { kind: 'value', expr: alias };
  const named = scope.variables.filter((variable) => isNamed(variable, name.name));
  const [variable] = named;
  if (named.length > 1)
    throw ambiguous(
      name,
      named.map((v) => v.name ?? ''),
    );
  if (variable !== undefined) {
    return variable.kind === 'table'
      ? { kind: 'table', variable }
      : { kind: 'value', expr: columnExpr(variable.column) };
  }
  return columnInScope(name, scope) ?? memberInScope(name, scope);
}

const isNamed = (variable: RangeVariable, name: string): boolean =>
  variable.name !== null && sameName(variable.name, name) && variable.reach !== 'bare';

function columnInScope(name: Identifier, scope: NameScope): NameMeaning | null {
  const found: { expr: Expr; owner: string }[] = [];
  for (const variable of scope.variables) {
    if (variable.reach === 'qualified') continue;
    if (variable.kind === 'table') {
      for (const { name: own, expr } of named(variable.columns, name.name)) {
        found.push({ expr, owner: variable.name === null ? own : `${variable.name}.${own}` });
      }
    }
    if (variable.kind === 'value') {
      for (const field of named(structFields(variable.column.type), name.name)) {
        found.push({ expr: partOf(columnExpr(variable.column), field), owner: `${variable.name}.${field.name}` });
      }
    }
  }
  const [only] = found;
  if (only === undefined) return null;
  if (found.length > 1)
    throw ambiguous(
      name,
      found.map((each) => each.owner),
    );
  return { kind: 'value', expr: only.expr };
}

function memberInScope(name: Identifier, scope: NameScope): NameMeaning | null {
  const found: { expr: Expr; owner: string }[] = [];
  for (const variable of scope.variables) {
    if (variable.kind !== 'record' || variable.reach === 'qualified') continue;
    // Member names keep their case, but a bare name matches them in any case, like a column.
    const member = declaredMembers(variable.shape).find((declared) => sameName(declared, name.name));
    if (member === undefined) continue;
    found.push({
      expr: memberOf(columnExpr(variable.column), [member]),
      owner: `${variable.name ?? 'unnest'}.${member}`,
    });
  }
  const [only] = found;
  if (only === undefined) return null;
  if (found.length > 1)
    throw ambiguous(
      name,
      found.map((each) => each.owner),
    );
  return { kind: 'value', expr: only.expr };
}

function ambiguous(name: Identifier, owners: readonly string[]): Error {
  if (new Set(owners).size === 1) {
    const sentence = `${quote(name.name)} is ambiguous: ${owners.length} columns have this name; give them different aliases`;
    return sqlError('sql.ambiguous_name', sentence, name.pos, { token: name.name });
  }
  return sqlError(
    'sql.ambiguous_name',
    `${quote(name.name)} is ambiguous: it could be ${owners.join(' or ')}; qualify it`,
    name.pos,
    {
      token: name.name,
      allowed: owners,
    },
  );
}

/** The error for an alias that several columns of the select list have. */
export function ambiguousAlias(name: Identifier, count: number): Error {
  const sentence = `${quote(name.name)} is ambiguous: ${count} selected columns have this name; give them different aliases`;
  return sqlError('sql.ambiguous_name', sentence, name.pos, { token: name.name });
}

/** Every name that is valid here unqualified, innermost first. */
export function namesIn(scope: NameScope): readonly string[] {
  const names = new Set<string>();
  for (let at: NameScope | null = scope; at !== null; at = at.parent) {
    for (const alias of at.aliases.keys()) names.add(alias);
    for (const variable of at.variables) {
      if (variable.name !== null) names.add(variable.name);
      if (variable.reach === 'qualified') continue;
      if (variable.kind === 'table') for (const { name } of variable.columns) if (name !== '') names.add(name);
      if (variable.kind === 'record') for (const member of declaredMembers(variable.shape)) names.add(member);
      if (variable.kind === 'value') for (const field of structFields(variable.column.type)) names.add(field.name);
    }
  }
  return [...names];
}

/** The whole row of a table as a STRUCT; a STRUCT of NULLs if an outer join found no row (GoogleSQL, reference evaluator). */
export function rowOf(variable: TableVariable): Expr {
  const type = structOf(variable.columns.map(({ name, expr }) => ({ name, type: expr.type })));
  return { kind: 'struct', type, values: variable.columns.map(({ expr }) => expr) };
}

/** The fields of a STRUCT value, as columns. */
export function fieldsOf(value: Expr): readonly NamedColumn[] {
  return structFields(value.type).map((field, index) => ({ name: field.name, expr: partOf(value, field, index) }));
}

/** The value of a field of the value's type. */
function partOf(value: Expr, field: StructField, index = structFields(value.type).indexOf(field)): Expr {
  if (value.kind === 'struct') return value.values[index] as Expr;
  return { kind: 'structField', type: field.type, value, index };
}

/** A column of a table alias. */
export function columnOf(variable: TableVariable, field: Identifier): Expr {
  const found = named(variable.columns, field.name);
  const [only] = found;
  if (found.length === 1 && only !== undefined) return only.expr;
  if (found.length > 1)
    throw ambiguous(
      field,
      found.map(({ name }) => name.toLowerCase()),
    );
  const allowed = variable.columns.map(({ name }) => name).filter((name) => name !== '');
  const nearest = nearestName(field.name, allowed);
  throw sqlError(
    'sql.unknown_name',
    `${variable.name ?? 'The subquery'} has no column ${quote(field.name)}`,
    field.pos,
    {
      token: field.name,
      allowed,
      ...(nearest !== undefined && { nearest }),
    },
  );
}

/** A field of a STRUCT, or a member of a JSON value. */
export function fieldOf(value: Expr, field: Identifier, session: ResolveSession): Expr {
  if (value.type.kind === 'JSON') {
    const declared = declaredMembers(session.shapeOf(value));
    // An exact match wins; otherwise a declared member in another case is meant.
    const exact = declared.includes(field.name) ? field.name : declared.find((name) => sameName(name, field.name));
    return namedMember(value, exact ?? field.name, field.pos);
  }
  if (value.type.kind === 'STRUCT') {
    const [found] = named(value.type.fields, field.name);
    if (found !== undefined) return partOf(value, found);
    const allowed = value.type.fields.map((candidate) => candidate.name).filter((name) => name !== '');
    const nearest = nearestName(field.name, allowed);
    throw sqlError('sql.unknown_name', `The STRUCT has no field ${quote(field.name)}`, field.pos, {
      token: field.name,
      allowed,
      ...(nearest !== undefined && { nearest }),
    });
  }
  const advice =
    value.type.kind === 'STRING'
      ? `; a STRING has no fields, read JSON in it with json_value(…, '$.${field.name}')`
      : value.type.kind === 'ARRAY'
        ? '; an array has no fields, select an element with [OFFSET(0)] or UNNEST it'
        : '';
  throw sqlError(
    'sql.type',
    `A value of type ${value.type.kind} has no field ${quote(field.name)}${advice}`,
    field.pos,
    {
      token: field.name,
    },
  );
}

export const quote = (name: string): string => `\`${name.length > 80 ? `${name.slice(0, 80)}…` : name}\``;
