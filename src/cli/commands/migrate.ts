import { Command, Option } from 'commander';
import { counted } from '../../core/counted.ts';
import { type MigrationTarget, migrateDefinitions } from '../../start/migrateDefinitions.ts';
import { readSettings } from '../../start/readSettings.ts';
import type { CliContext } from '../cliContext.ts';
import { plainTable } from '../plainTable.ts';
import { addSettingOptions, type SettingFlags, settingFlags } from '../settingOptions.ts';

interface MigrateFlags extends SettingFlags {
  readonly to: MigrationTarget;
  readonly json?: boolean;
}

/** `logmill migrate --to postgres|folder`: copies definitions between the data folder and PostgreSQL. */
export function migrateCommand(context: CliContext): Command {
  const command = new Command('migrate')
    .description(
      'copy endpoints, tokens, sources, retention rules and the audit trail between the data folder and PostgreSQL, while no service runs; events stay where they are',
    )
    .addOption(
      new Option('--to <target>', 'postgres (the database of LOGMILL_STORE) or folder (the data folder)')
        .choices(['postgres', 'folder'])
        .makeOptionMandatory(),
    )
    .option('--json', 'print JSON');
  return addSettingOptions(command, ['dataDir']).action(
    async (options: MigrateFlags) => await migrate(options, context),
  );
}

async function migrate(options: MigrateFlags, context: CliContext): Promise<void> {
  const { settings } = readSettings({
    environment: context.environment,
    flags: settingFlags(options),
    configFile: options.config,
  });
  const rows = await migrateDefinitions(settings, options.to, context.clock.nowMicros());
  if (options.json === true) {
    context.out(`${JSON.stringify({ to: options.to, rows: Object.fromEntries(rows) })}\n`);
    return;
  }
  const next =
    options.to === 'postgres'
      ? 'Start the service with the same LOGMILL_STORE.'
      : 'Start the service without LOGMILL_STORE.';
  context.out(
    plainTable(
      ['table', 'rows'],
      [...rows].map(([table, count]) => [table, String(count)]),
    ),
  );
  const total = [...rows.values()].reduce((sum, count) => sum + count, 0);
  context.out(`Copied and compared: ${counted(total, 'row')}. ${next}\n`);
}
