import { systemReason } from '../../core/systemReason.ts';

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

/** Why a call failed, such as `permission denied (EACCES)`. */
export function reasonOf(error: unknown): string {
  return systemReason(error instanceof Error && error.cause instanceof Error ? error.cause : error);
}
