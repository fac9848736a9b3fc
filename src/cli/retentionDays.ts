import { Option } from 'commander';
import { CliError } from './cliError.ts';

export interface RetentionFlags {
  readonly days?: string;
  readonly default?: boolean;
  readonly off?: boolean;
}

/** The flags that set a retention; at most one may be given. */
export function retentionOptions(): readonly Option[] {
  return [
    new Option('--days <number>', 'keep events for this many days').conflicts(['default', 'off']),
    new Option('--default', 'remove the rule, so that the default applies').conflicts(['days', 'off']),
    new Option('--off', 'keep events without a time limit').conflicts(['days', 'default']),
  ];
}

/** The days given: 0 for `--off`, null for `--default`, undefined if there is no flag. Throws a CliError. */
export function retentionDays({ days, default: isDefault, off }: RetentionFlags): number | null | undefined {
  if (off === true) return 0;
  if (isDefault === true) return null;
  if (days === undefined) return undefined;
  if (/^[1-9]\d{0,4}$/.test(days)) return Number(days);
  throw new CliError(
    `--days is "${days}"; it must be a whole number, at least 1. To keep events without a time limit, use --off.`,
    {
      exitCode: 2,
    },
  );
}

/** Renders an effective retention, such as `7 days (project)`. */
export function retentionText({ days, from }: { readonly days: number; readonly from: string }): string {
  const time = days === 0 ? 'no time limit' : `${days} ${days === 1 ? 'day' : 'days'}`;
  return `${time} (${from})`;
}
