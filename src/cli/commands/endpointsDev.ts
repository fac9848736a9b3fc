import { Command } from 'commander';
import type { CliContext } from '../cliContext.ts';
import type { DevOptions } from '../developing/develop.ts';
import { addServiceOptions } from '../serviceOptions.ts';

/** `logmill endpoints dev FOLDER`: checks, tests and deploys what changes in a folder, until it is stopped. */
export function endpointsDevCommand(context: CliContext): Command {
  const command = new Command('dev')
    .description(
      'watch a folder of definition files: check, test and deploy each one under a scratch name whenever it is saved; Ctrl-C stops it',
    )
    .argument('<folder>', 'folder with definition files (.yaml) and their tests (.test.yaml)')
    .option('--as <prefix>', 'first part of the scratch names, such as dev.anna', 'dev')
    .option('--no-test', 'run no tests')
    .option('--config <file>', 'configuration file with settings for the tests; the environment is ignored');
  return addServiceOptions(command, 'manage').action(async (folder: string, options: DevOptions) => {
    // Loaded here because the other commands start faster without it.
    const { develop } = await import('../developing/develop.ts');
    await develop(folder, options, context);
  });
}
