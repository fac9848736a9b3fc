import * as z from 'zod';
import { counted } from '../core/counted.ts';
import { printable } from '../core/printable.ts';

const fieldSchema = z.looseObject({
  table: z.string(),
  path: z.string(),
  types: z.array(z.string()),
  share: z.number(),
  distinct: z.number(),
  values: z.array(z.looseObject({ value: z.union([z.string(), z.number(), z.bigint(), z.boolean()]) })),
  personal: z.boolean(),
});

const tableSchema = z.looseObject({ name: z.string(), rows: z.number(), rows_read: z.number(), complete: z.boolean() });

/** A page of `GET /api/endpoints/{id}/fields`. */
export const fieldsPageSchema = z.looseObject({
  result: z.array(fieldSchema),
  tables: z.array(tableSchema),
  endpoint: z.looseObject({ name: z.string() }),
  notices: z.array(z.looseObject({ message: z.string() })),
  next: z.string().nullable(),
});

type FieldView = z.infer<typeof fieldSchema>;
type TableView = z.infer<typeof tableSchema>;

/** Whether the field is at the path or below it. */
export function isAtOrBelow({ path }: FieldView, wanted: string): boolean {
  return path === wanted || path.startsWith(`${wanted}.`) || path.startsWith(`${wanted}[`);
}

/** Values shown for each field. */
const examplesMax = 3;

/**
 * Renders fields as one tree per table, with types, shares and examples. Fields are in the order of the service: each
 * one before those below it.
 */
export function renderFieldTree(
  fields: readonly FieldView[],
  tables: readonly TableView[],
  columnsMax = Number.POSITIVE_INFINITY,
): string {
  const trees = tables.map((table) => {
    const own = fields.filter((field) => field.table === table.name);
    const lines = own.map((field) => ({ field, name: `${indentOf(field)}${printable(lastStep(field.path))}` }));
    const nameWidth = Math.max(0, ...lines.map(({ name }) => name.length));
    const typeWidth = Math.max(0, ...own.map(({ types }) => types.join('|').length));
    const rendered = lines.map(({ field, name }) => {
      const types = field.types.join('|').padEnd(typeWidth);
      const line = `${name.padEnd(nameWidth)}  ${types}  ${percent(field.share)}  ${examplesOf(field)}`.trimEnd();
      return line.length > columnsMax ? `${line.slice(0, Math.max(1, columnsMax - 1))}…` : line;
    });
    return [`${printable(table.name)}: ${rowsText(table)}`, ...rendered].join('\n');
  });
  return trees.join('\n\n');
}

function rowsText({ rows, rows_read: read, complete }: TableView): string {
  if (complete || read === 0) return counted(rows, 'row');
  return read < rows
    ? `${counted(rows, 'row')}; shares are estimates from ${counted(read, 'row')}`
    : `${counted(rows, 'row')}; some fields are left out`;
}

/** The steps of a path; text in backticks is one step. */
function stepsOf(path: string): readonly string[] {
  return path.match(/`(?:\\.|[^`\\])*`|\[\]|[^.[\]`]+/g) ?? [path];
}

const indentOf = ({ path }: FieldView): string => '  '.repeat(Math.max(1, stepsOf(path).length - 1));

function lastStep(path: string): string {
  return stepsOf(path).at(-1) ?? path;
}

function percent(share: number): string {
  const text =
    share > 0 && share < 0.01 ? '< 1 %' : share < 1 && share > 0.99 ? '> 99 %' : `${Math.round(share * 100)} %`;
  return text.padStart(6);
}

function examplesOf({ personal, values, distinct }: FieldView): string {
  if (personal) return '(personal)';
  const shown = values.slice(0, examplesMax).map(({ value }) => printable(String(value)));
  const others = distinct - shown.length;
  return others > 0 && shown.length > 0 ? `${shown.join(', ')}, … (about ${distinct})` : shown.join(', ');
}
