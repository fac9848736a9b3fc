import { CliError } from './cliError.ts';

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Converts `90d`, `12h`, `30m`, `2w` or a time such as `2027-01-31T00:00:00Z` to microseconds since 1970. */
export function expiryMicros(text: string, nowMicros: number): number {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const factor = unit === undefined ? undefined : unitMs[unit];
  if (factor !== undefined) return nowMicros + Number(count) * factor * 1000;
  const at = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) {
    throw new CliError(
      `--expires is "${text}"; give a duration such as 90d, 12h or 30m, or a time such as 2027-01-31T00:00:00Z.`,
      {
        exitCode: 2,
      },
    );
  }
  return at * 1000;
}
