import { Command } from 'commander';
import { readSettings } from '../../start/readSettings.ts';
import type { CliContext } from '../cliContext.ts';
import { addSettingOptions, type SettingFlags, settingFlags } from '../settingOptions.ts';

interface ServeFlags extends SettingFlags {
  readonly demo?: boolean;
}

/** `logmill serve`: runs the service until a signal stops it. */
export function serveCommand(context: CliContext): Command {
  const command = new Command('serve')
    .description('run the service')
    .option('--demo', 'fill an empty data folder with sample data and print example calls');
  return addSettingOptions(command).action(async (options: ServeFlags) => {
    const settingInputs = {
      environment: context.environment,
      flags: settingFlags(options),
      configFile: options.config,
    };
    const read = readSettings(settingInputs);
    // New files hold events and hashes of tokens, so no one else may read them.
    process.umask(0o077);
    const { StandbyEngine } = await import('../../start/standbyEngine.ts');
    const standbyEngine = new StandbyEngine(read.settings);
    try {
      const demo = options.demo === true;
      const nowMicros = context.clock.nowMicros();
      const { claimFolder } = await import('../../start/claimFolder.ts');
      const claimed = await claimFolder({ settings: read.settings, nowMicros, demo, standbyEngine });
      // Loaded here so that the engine process starts meanwhile and other commands load neither.
      const { serve } = await import('../../start/serve.ts');
      const isTerminal = context.columns !== undefined;
      const isLogTerminal = context.isTerminal;
      const { out } = context;
      await serve(read, { settingInputs, demo, claimed, standbyEngine, out, isTerminal, isLogTerminal });
    } catch (error) {
      standbyEngine.kill();
      throw error;
    }
  });
}
