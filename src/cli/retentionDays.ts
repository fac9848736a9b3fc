import { Option } from 'commander';
import { CliError } from './cliError.ts';

export interface RetentionFlags {
  readonly days?: string;
  readonly default?: boolean;
  readonly off?: boolean;
}

/** The flags that say how long events are kept; at most one of them may be given. */
export function retentionOptions(): readonly Option[] {
  return [
    new Option('--days <number>', 'days that events are kept').conflicts(['default', 'off']),
    new Option('--default', 'no rule of its own').conflicts(['days', 'off']),
    new Option('--off', 'keep everything').conflicts(['days', 'default']),
  ];
}

/** The days that the flags say, null for no rule of its own; undefined where none is given. Throws a CliError. */
export function retentionDays({ days, default: isDefault, off }: RetentionFlags): number | null | undefined {
  if (off === true) return 0;
  if (isDefault === true) return null;
  if (days === undefined) return undefined;
  if (/^[1-9]\d{0,4}$/.test(days)) return Number(days);
  throw new CliError(`--days is "${days}"; it is a whole number of days from 1. --off keeps everything.`, {
    exitCode: 2,
  });
}

/** `7 days (project)`, as effective retention is told. */
export function retentionText({ days, from }: { readonly days: number; readonly from: string }): string {
  const time = days === 0 ? 'everything is kept' : `${days} ${days === 1 ? 'day' : 'days'}`;
  return `${time} (${from})`;
}
