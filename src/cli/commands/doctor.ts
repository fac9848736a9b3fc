import { Command } from 'commander';
import { counted } from '../../core/counted.ts';
import type { Finding } from '../../start/doctor/finding.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { addSettingOptions, type SettingFlags, settingFlags } from '../settingOptions.ts';

interface DoctorFlags extends SettingFlags {
  readonly deep?: boolean;
  readonly json?: boolean;
}

/** `logmill doctor`: checks everything that a service needs, and suggests fixes. */
export function doctorCommand(context: CliContext): Command {
  const command = new Command('doctor')
    .description('check settings, machine, data folder, store and segments, and suggest fixes; changes nothing')
    .option('--deep', 'read every segment completely, to find damage that no query has met yet')
    .option('--json', 'print JSON');
  return addSettingOptions(command).action(async (options: DoctorFlags) => await doctor(options, context));
}

async function doctor(options: DoctorFlags, context: CliContext): Promise<void> {
  // Loaded here so that other commands start faster.
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
  if (failed > 0) throw new CliError(`${counted(failed, 'check')} failed.`);
}

function written({ check, status, message, advice }: Finding): string {
  const line = `${status.padEnd(4)}  ${check.padEnd(13)}  ${message}\n`;
  return advice === undefined ? line : `${line}${' '.repeat(21)}→ ${advice}\n`;
}
