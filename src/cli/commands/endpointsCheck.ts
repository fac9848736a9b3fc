import { Command } from 'commander';
import { counted } from '../../core/counted.ts';
import { type CheckedFile, checkFile, renderCheck } from '../checkedFile.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { readDefinitionPaths } from '../definitionPaths.ts';
import { noticeLines } from '../managedEndpoints.ts';
import { serviceAddress } from '../serviceClient.ts';
import { addServiceOptions, type ServiceOptions } from '../serviceOptions.ts';

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
      context.out(`${renderCheck(report)}\n`);
      for (const line of noticeLines(report.name, report.notices)) context.err(line);
    }
  }
  if (wrong.length > 0) {
    const verb = wrong.length === 1 ? 'is' : 'are';
    throw new CliError(`${wrong.length} of ${counted(checked.length, 'definition')} ${verb} invalid.`);
  }
}
