import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { formatDefinition } from '../endpoints/parseDefinition.ts';
import { typeName } from '../googlesql/types.ts';
import type { EndpointDescription } from '../invoke/describe.ts';
import { type BreakingChange, breakingChanges } from './breakingChanges.ts';
import type { ComparedVersion } from './comparedVersion.ts';

/** A field whose value differs; null means that it is absent. */
export interface FieldChange {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

export interface ParameterChange {
  readonly name: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly fields: readonly FieldChange[];
}

/** A changed output column, with its GoogleSQL types. */
export interface ColumnChange {
  readonly name: string;
  readonly change: 'added' | 'removed' | 'retyped';
  readonly from: string | null;
  readonly to: string | null;
}

/** The differences between two versions of a definition. */
export interface DefinitionDiff {
  /** In the unified format; null if the query is the same. */
  readonly query: string | null;
  readonly parameters: readonly ParameterChange[];
  readonly columns: readonly ColumnChange[];
  /** All other fields, in the form of definition files. */
  readonly settings: readonly FieldChange[];
  readonly breaking: readonly BreakingChange[];
}

type Fields = Readonly<Record<string, unknown>>;

export function diffDefinitions(from: ComparedVersion, to: ComparedVersion): DefinitionDiff {
  const {
    id: _,
    query: fromQuery,
    parameters: fromParameters = {},
    ...fromSettings
  } = formatDefinition(from.definition);
  const { id: __, query: toQuery, parameters: toParameters = {}, ...toSettings } = formatDefinition(to.definition);
  return {
    query: fromQuery === toQuery ? null : queryPatch(from.label, fromQuery, to.label, toQuery),
    parameters: parameterChanges(fromParameters, toParameters),
    columns: columnChanges(from.description, to.description),
    settings: [...fieldChanges(fromSettings, toSettings), ...orderChange(fromParameters, toParameters)],
    breaking: breakingChanges(from, to),
  };
}

/** With more differing lines, finding the shortest patch would take too long. */
const editsMax = 2_000;

function queryPatch(fromLabel: string, from: string, toLabel: string, to: string): string {
  const patch = createTwoFilesPatch(fromLabel, toLabel, from, to, undefined, undefined, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
    maxEditLength: editsMax,
  });
  return patch ?? wholePatch(fromLabel, from, toLabel, to);
}

/** A patch that removes every old line and adds every new one. */
function wholePatch(fromLabel: string, from: string, toLabel: string, to: string): string {
  const [removed, added] = [from.split('\n'), to.split('\n')];
  return [
    `--- ${fromLabel}`,
    `+++ ${toLabel}`,
    `@@ -1,${removed.length} +1,${added.length} @@`,
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    '',
  ].join('\n');
}

function fieldChanges(from: Fields, to: Fields): readonly FieldChange[] {
  const fields = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return fields
    .map((field) => ({ field, from: from[field] ?? null, to: to[field] ?? null }))
    .filter((change) => JSON.stringify(change.from) !== JSON.stringify(change.to));
}

function parameterChanges(from: Fields, to: Fields): readonly ParameterChange[] {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return names.flatMap((name): readonly ParameterChange[] => {
    const [before, after] = [from[name] as Fields | undefined, to[name] as Fields | undefined];
    const change = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
    const fields = fieldChanges(before ?? {}, after ?? {});
    return fields.length === 0 ? [] : [{ name, change, fields }];
  });
}

/** A changed order of the parameters that both versions have. */
function orderChange(from: Fields, to: Fields): readonly FieldChange[] {
  const common = (fields: Fields, others: Fields) => Object.keys(fields).filter((name) => Object.hasOwn(others, name));
  return fieldChanges({ parameter_order: common(from, to) }, { parameter_order: common(to, from) });
}

function columnChanges(from: EndpointDescription | null, to: EndpointDescription | null): readonly ColumnChange[] {
  if (from === null || to === null) return [];
  const types = ({ columns }: EndpointDescription) =>
    new Map(columns.map((column) => [column.name, typeName(column.type)] as const));
  const [before, after] = [types(from), types(to)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name): readonly ColumnChange[] => {
    const [fromType = null, toType = null] = [before.get(name), after.get(name)];
    if (fromType === toType) return [];
    const change = fromType === null ? 'added' : toType === null ? 'removed' : 'retyped';
    return [{ name, change, from: fromType, to: toType }];
  });
}
