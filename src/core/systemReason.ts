import { getSystemErrorMap } from 'node:util';

/**
 * Says why a call of the system failed, in words and with its code: `no such file or directory (ENOENT)`. For any other
 * error, its message.
 */
export function systemReason(error: unknown): string {
  // A name with several addresses fails once for each.
  const [first = error] = error instanceof AggregateError ? error.errors : [];
  if (!(first instanceof Error)) return String(first);
  if (!('code' in first && typeof first.code === 'string')) return first.message;
  const words =
    'errno' in first && typeof first.errno === 'number' ? getSystemErrorMap().get(first.errno)?.[1] : undefined;
  return words === undefined ? first.message || first.code : `${words} (${first.code})`;
}
