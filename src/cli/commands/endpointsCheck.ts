import { Command } from 'commander';
import { z } from 'zod';
import { counted } from '../../core/counted.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { type NamedFile, readDefinitionPaths, sentDefinition } from '../definitionPaths.ts';
import { placeInFile } from '../deploymentProblem.ts';
import { askJson, noticeLines, noticesSchema } from '../managedEndpoints.ts';
import { caret } from '../problemDocument.ts';
import { type ServiceAddress, serviceAddress } from '../serviceClient.ts';
import { addServiceOptions, type ServiceOptions } from '../serviceOptions.ts';

/** The place in the file, set by this command for an error in a query. */
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

interface CheckedFile extends z.infer<typeof reportSchema> {
  readonly file: string;
  readonly name: string | null;
  /** Empty if the file could not be read. */
  readonly query: string;
}

/** `logmill endpoints check FILE…`: compiles definition files and stores nothing. */
export function endpointsCheckCommand(context: CliContext): Command {
  const command = new Command('check')
    .description('check the form of definition files and compile their queries; stores nothing')
    .argument('<path...>', 'definition files (.yaml), or folders that contain them');
  return addServiceOptions(command, 'manage').action((paths: readonly string[], options: ServiceOptions) =>
    check(paths, options, context),
  );
}

async function check(paths: readonly string[], options: ServiceOptions, context: CliContext): Promise<void> {
  const files = readDefinitionPaths(paths);
  const address = serviceAddress(options, context.environment);
  const checked: CheckedFile[] = [];
  for (const file of files) checked.push(await checkFile(file, address));
  const wrong = checked.filter(({ valid }) => !valid);
  if (options.json === true) {
    context.out(
      `${JSON.stringify(
        checked.map(({ query: _query, ...report }) => report),
        undefined,
        2,
      )}\n`,
    );
  } else {
    for (const report of checked) {
      context.out(`${render(report)}\n`);
      for (const line of noticeLines(report.name, report.notices)) context.err(line);
    }
  }
  if (wrong.length > 0) {
    const verb = wrong.length === 1 ? 'is' : 'are';
    throw new CliError(`${wrong.length} of ${counted(checked.length, 'definition')} ${verb} invalid.`);
  }
}

async function checkFile({ path, definition, problem }: NamedFile, address: ServiceAddress): Promise<CheckedFile> {
  if (definition === null) return { file: path, name: null, query: '', valid: false, problem, errors: [] };
  const report = await askJson(address, '/api/endpoints/check', reportSchema, { body: sentDefinition(definition) });
  const at = { path, definition };
  const errors = report.errors.map((item) => {
    const place = placeInFile(at, item);
    return place === null ? item : { ...item, in_file: place };
  });
  return { file: path, name: definition.definition.name, query: definition.definition.query, ...report, errors };
}

function render({ file, name, query, valid, problem, errors, columns = [] }: CheckedFile): string {
  if (valid) return `ok     ${file}: ${name} (${columns.map((column) => `${column.name} ${column.type}`).join(', ')})`;
  const [place] = errors;
  const below = place?.line === undefined || place.column === undefined ? [] : caret(query, place.line, place.column);
  const inFile = place?.in_file;
  const where = inFile === undefined ? [] : [`  ${inFile.file}:${inFile.line}:${inFile.column}`];
  return [`error  ${file}: ${problem}`, ...where, ...below].join('\n');
}
