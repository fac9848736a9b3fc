import type { ParameterDeclaration } from '../endpoints/parameterDeclaration.ts';
import { type SqlType, sameType, typeName } from '../googlesql/types.ts';
import type { EndpointDescription } from '../invoke/describe.ts';
import type { ComparedVersion } from './comparedVersion.ts';

/** The ways in which a change can break calls that worked before. */
export const breakingRules = {
  'endpoint.deleted': 'Calls no longer find the endpoint.',
  'name.changed': 'Calls by the old name no longer find the endpoint.',
  'column.removed': 'Rows lack a column.',
  'column.retyped': 'A column has a different type.',
  'parameter.removed': 'A parameter is no longer declared. Values that callers send for it are ignored.',
  'parameter.retyped': 'A parameter has a different type.',
  'parameter.required': 'A parameter is now required: it was optional, or it is new.',
  'parameter.value_removed': 'A parameter no longer allows a value.',
  'parameters.strict': 'Undeclared parameters are now refused.',
  'sandbox.closed': 'Caller queries are now refused.',
  'stream.closed': 'Streams are now refused.',
  'table.removed': 'Caller queries can no longer read a table.',
  'table.column_removed': 'A table that caller queries read lacks a column.',
  'table.column_retyped': 'A column of a table that caller queries read has a different type.',
} as const;

/** Something that callers may rely on and that a change removes. */
export interface BreakingChange {
  readonly rule: keyof typeof breakingRules;
  /** The affected column, parameter, table or name. */
  readonly name: string;
  /** The break as a sentence. */
  readonly message: string;
}

/**
 * Finds what `to` breaks for callers of `from`. Columns and tables are compared only if both versions compile: a version
 * that no longer compiles returned no rows to rely on.
 */
export function breakingChanges(from: ComparedVersion, to: ComparedVersion): readonly BreakingChange[] {
  const changes: BreakingChange[] = [];
  const [before, after] = [from.definition, to.definition];
  if (from.primary && before.name !== after.name) {
    changes.push({
      rule: 'name.changed',
      name: before.name,
      message: `The endpoint does not answer by the name ${before.name} any more.`,
    });
  }
  if (from.description !== null && to.description !== null) {
    changes.push(...columnBreaks(from.description, to.description));
  }
  changes.push(...parameterBreaks(before.parameters, after.parameters));
  if (!before.strictParameters && after.strictParameters) {
    changes.push({
      rule: 'parameters.strict',
      name: 'strict_parameters',
      message: 'Parameters that are not declared were ignored and are refused now.',
    });
  }
  if (before.stream !== null && after.stream === null) {
    changes.push({ rule: 'stream.closed', name: 'stream', message: 'Results are not streamed any more.' });
  }
  if (before.sandbox && !after.sandbox) {
    changes.push({ rule: 'sandbox.closed', name: 'sandbox', message: 'Queries of callers are not accepted any more.' });
  } else if (before.sandbox && from.description !== null && to.description !== null) {
    changes.push(...tableBreaks(from.description, to.description));
  }
  return changes;
}

type Columns = readonly Pick<EndpointDescription['columns'][number], 'name' | 'type'>[];

function columnBreaks(from: EndpointDescription, to: EndpointDescription): readonly BreakingChange[] {
  return lostColumns(from.columns, to.columns).map(({ name, was, is }) =>
    is === undefined
      ? { rule: 'column.removed', name, message: `The column ${name} (${typeName(was)}) is gone.` }
      : {
          rule: 'column.retyped',
          name,
          message: `The column ${name} was ${typeName(was)} and is ${typeName(is)} now.`,
        },
  );
}

function tableBreaks(from: EndpointDescription, to: EndpointDescription): readonly BreakingChange[] {
  // The case of table and column names does not matter in a query.
  const tables = new Map(to.tables.map((table) => [table.name.toLowerCase(), table] as const));
  return from.tables.flatMap((table): readonly BreakingChange[] => {
    const now = tables.get(table.name.toLowerCase());
    if (now === undefined) {
      return [{ rule: 'table.removed', name: table.name, message: `The table ${table.name} is gone.` }];
    }
    return lostColumns(lowerCased(table.columns), lowerCased(now.columns)).map(({ name, was, is }) => {
      const column = `${table.name}.${name}`;
      return is === undefined
        ? {
            rule: 'table.column_removed',
            name: column,
            message: `The column ${name} (${typeName(was)}) of the table ${table.name} is gone.`,
          }
        : {
            rule: 'table.column_retyped',
            name: column,
            message: `The column ${name} of the table ${table.name} was ${typeName(was)} and is ${typeName(is)} now.`,
          };
    });
  });
}

function lowerCased(columns: Columns): Columns {
  return columns.map(({ name, type }) => ({ name: name.toLowerCase(), type }));
}

interface LostColumn {
  readonly name: string;
  readonly was: SqlType;
  /** Undefined if the column was removed. */
  readonly is: SqlType | undefined;
}

function lostColumns(from: Columns, to: Columns): readonly LostColumn[] {
  const types = new Map(to.map(({ name, type }) => [name, type] as const));
  return from.flatMap(({ name, type }): readonly LostColumn[] => {
    const is = types.get(name);
    return is !== undefined && sameType(type, is) ? [] : [{ name, was: type, is }];
  });
}

function parameterBreaks(
  from: readonly ParameterDeclaration[],
  to: readonly ParameterDeclaration[],
): readonly BreakingChange[] {
  const [before, after] = [byName(from), byName(to)];
  const changes = from.flatMap((was): readonly BreakingChange[] => {
    const is = after.get(was.name);
    const { name } = was;
    if (is === undefined) return [{ rule: 'parameter.removed', name, message: `The parameter ${name} is gone.` }];
    if (was.type !== is.type) {
      return [
        { rule: 'parameter.retyped', name, message: `The parameter ${name} was ${was.type} and is ${is.type} now.` },
      ];
    }
    return removedValues(was, is).map((value) => ({
      rule: 'parameter.value_removed',
      name,
      message: `The value ${JSON.stringify(value)} of the parameter ${name} is not allowed any more.`,
    }));
  });
  for (const { name, required } of to) {
    const was = before.get(name);
    if (!required || was?.required === true) continue;
    const message =
      was === undefined
        ? `The parameter ${name} is new and required.`
        : `The parameter ${name} could be left out and is required now.`;
    changes.push({ rule: 'parameter.required', name, message });
  }
  return changes;
}

function byName(parameters: readonly ParameterDeclaration[]): ReadonlyMap<string, ParameterDeclaration> {
  return new Map(parameters.map((parameter) => [parameter.name, parameter] as const));
}

/** Values that were allowed and are now refused. */
function removedValues(was: ParameterDeclaration, is: ParameterDeclaration): readonly string[] {
  if (was.allowed === null || is.allowed === null || is.onUnknown === 'default') return [];
  const { allowed } = is;
  return was.allowed.filter((value) => !allowed.includes(value));
}
