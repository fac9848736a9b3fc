import { Command } from 'commander';
import { readSettings } from '../../start/readSettings.ts';
import type { CliContext } from '../cliContext.ts';
import { addSettingOptions, type SettingFlags, settingFlags } from '../settingOptions.ts';

interface ServeFlags extends SettingFlags {
  readonly demo?: boolean;
}

/** `logmill serve`: runs the service until it is told to stop. */
export function serveCommand(context: CliContext): Command {
  const command = new Command('serve')
    .description('run the service')
    .option('--demo', 'fill an empty data folder with sample data and print calls to try');
  return addSettingOptions(command).action(async (options: ServeFlags) => {
    const read = readSettings({
      environment: context.environment,
      flags: settingFlags(options),
      configFile: options.config,
    });
    // Loaded only here: the other commands start in half the time without engine and server.
    const { serve } = await import('../../start/serve.ts');
    await serve(read, { demo: options.demo === true, out: context.out, isTerminal: context.columns !== undefined });
  });
}
