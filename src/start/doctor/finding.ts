/**
 * Result of one check of an installation. `warn`: it works, but not as intended or not for long. `fail`: it does not
 * work.
 */
export interface Finding {
  /** Name of the check, one or two words; the same in every run. */
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  /** One sentence. */
  readonly message: string;
  /** How to solve the problem; always present if the status is not `ok`. */
  readonly advice?: string;
}

export const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message });
export const warn = (check: string, message: string, advice: string): Finding => ({
  check,
  status: 'warn',
  message,
  advice,
});
export const fail = (check: string, message: string, advice: string): Finding => ({
  check,
  status: 'fail',
  message,
  advice,
});

/** Such as `12.3 GiB`. */
export function gibibytes(bytes: number): string {
  return bytes >= 2 ** 30 ? `${(bytes / 2 ** 30).toFixed(1)} GiB` : `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}

/** The short reason of a system error, such as `EACCES`; for a failed call, the reason of its cause. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof Error) return 'code' in cause ? String(cause.code) : cause.message;
  return String(cause);
}

/** Such as `1 sealed file`, `2 sealed files`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
