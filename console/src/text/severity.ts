import type { Json } from '../api/losslessJson.ts';

export type Severity = 'debug' | 'info' | 'warning' | 'error' | 'critical';

export const severityLabels: Readonly<Record<Severity, string>> = {
  debug: 'DBG',
  info: 'INF',
  warning: 'WRN',
  error: 'ERR',
  critical: 'CRT',
};

const patterns: readonly (readonly [RegExp, Severity])[] = [
  [/^(trace|debug\d?|verbose)/i, 'debug'],
  [/^warn/i, 'warning'],
  [/^(err|fail)/i, 'error'],
  [/^(fatal|crit|alert|emerg|panic)/i, 'critical'],
];

/** The severity that a level (`warn`, `ERROR`) or an HTTP status means. Undefined without a value. */
export function severityOf(value: Json | undefined): Severity | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  const number = typeof value === 'number' ? value : Number.NaN;
  if (Number.isFinite(number)) return number >= 500 ? 'error' : number >= 400 ? 'warning' : 'info';
  if (typeof value !== 'string') return undefined;
  if (/^[1-5]\d\d$/.test(value)) return severityOf(Number(value));
  return patterns.find(([pattern]) => pattern.test(value))?.[1] ?? 'info';
}

/** LQL clauses that keep the rows of errors, and of warnings. */
export function severityClauses(path: string, isStatus: boolean): { readonly error: string; readonly warning: string } {
  if (isStatus) return { error: `${path}:>=500`, warning: `${path}:400..499` };
  return {
    error: `${path}:~"(?i)^(err|fail|fatal|crit|alert|emerg|panic)"`,
    warning: `${path}:~"(?i)^warn"`,
  };
}
