import { Command } from 'commander';
import type { Finding } from '../../start/doctor/finding.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { addSettingOptions, type SettingFlags, settingFlags } from '../settingOptions.ts';

interface DoctorFlags extends SettingFlags {
  readonly deep?: boolean;
  readonly json?: boolean;
}

/** `logmill doctor`: looks at everything that a service needs, and says what to do. */
export function doctorCommand(context: CliContext): Command {
  const command = new Command('doctor')
    .description('look at settings, machine, data folder, store and event files, and say what to do; changes nothing')
    .option('--deep', 'read every event file through, which finds damage that no query has met yet')
    .option('--json', 'print JSON');
  return addSettingOptions(command).action(async (options: DoctorFlags) => await doctor(options, context));
}

async function doctor(options: DoctorFlags, context: CliContext): Promise<void> {
  // Loaded only here: other commands start faster without it.
  const [{ runDoctor }, { thisMachine }] = await Promise.all([
    import('../../start/doctor/runDoctor.ts'),
    import('../../start/doctor/thisMachine.ts'),
  ]);
  const findings = await runDoctor({
    settings: { environment: context.environment, flags: settingFlags(options), configFile: options.config },
    machine: thisMachine(),
    clock: context.clock,
    isDeep: options.deep === true,
  });
  if (options.json === true) context.out(`${JSON.stringify({ findings })}\n`);
  else for (const finding of findings) context.out(written(finding));
  const failed = findings.filter(({ status }) => status === 'fail').length;
  if (failed > 0) throw new CliError(`${failed} ${failed === 1 ? 'thing does' : 'things do'} not work.`);
}

function written({ check, status, message, advice }: Finding): string {
  const line = `${status.padEnd(4)}  ${check.padEnd(13)}  ${message}\n`;
  return advice === undefined ? line : `${line}${' '.repeat(21)}→ ${advice}\n`;
}
