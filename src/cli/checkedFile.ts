import * as z from 'zod';
import { type NamedFile, sentDefinition } from './definitionPaths.ts';
import { placeInFile } from './deploymentProblem.ts';
import { askJson, noticesSchema } from './managedEndpoints.ts';
import { caret } from './problemDocument.ts';
import type { ServiceAddress } from './serviceClient.ts';

/** The place in the file, set here for an error in a query. */
const placeSchema = z.object({ file: z.string(), line: z.number(), column: z.number() });

const reportSchema = z.looseObject({
  valid: z.boolean(),
  problem: z.string().nullable(),
  errors: z.array(
    z.looseObject({ line: z.number().optional(), column: z.number().optional(), in_file: placeSchema.optional() }),
  ),
  columns: z.array(z.looseObject({ name: z.string(), type: z.string() })).optional(),
  notices: noticesSchema,
});

/** What a check says of a definition. */
export type CheckReport = z.infer<typeof reportSchema>;

export interface CheckedFile extends CheckReport {
  readonly file: string;
  readonly name: string | null;
  /** Empty if the file could not be read. */
  readonly query: string;
}

/** Lets the service compile a definition, in the form of the API. Nothing is stored. */
export function checkDefinition(
  sent: Readonly<Record<string, unknown>>,
  address: ServiceAddress,
): Promise<CheckReport> {
  return askJson(address, '/api/endpoints/check', reportSchema, { body: sent, effect: 'none' });
}

/** Like `checkDefinition` for a file. Errors have their place in it. A file that cannot be read is not sent. */
export async function checkFile(
  { path, definition, problem }: NamedFile,
  address: ServiceAddress,
): Promise<CheckedFile> {
  if (definition === null) return { file: path, name: null, query: '', valid: false, problem, errors: [] };
  const report = await checkDefinition(sentDefinition(definition), address);
  const at = { path, definition };
  const errors = report.errors.map((item) => {
    const place = placeInFile(at, item);
    return place === null ? item : { ...item, in_file: place };
  });
  return { file: path, name: definition.definition.name, query: definition.definition.query, ...report, errors };
}

/** Renders the outcome for people: the columns, or the problem with its place in the file. */
export function renderCheck({ file, name, query, valid, problem, errors, columns = [] }: CheckedFile): string {
  if (valid) return `ok     ${file}: ${name} (${columns.map((column) => `${column.name} ${column.type}`).join(', ')})`;
  const [place] = errors;
  const below = place?.line === undefined || place.column === undefined ? [] : caret(query, place.line, place.column);
  const inFile = place?.in_file;
  const where = inFile === undefined ? [] : [`  ${inFile.file}:${inFile.line}:${inFile.column}`];
  return [`error  ${file}: ${problem}`, ...where, ...below].join('\n');
}
