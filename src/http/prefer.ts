/** What a caller prefers about asynchronous answers (RFC 7240). */
export interface AsyncPreference {
  /** Seconds that the caller waits for the answer itself; null if it does not say. */
  readonly waitSeconds: number | null;
}

/** The longest time that a call waits, so that no proxy in between gives up first. */
export const waitSecondsMax = 30;

/** The preference for an asynchronous answer in `Prefer`; null if there is none. Everything else in it is ignored. */
export function asyncPreference(header: string | undefined): AsyncPreference | null {
  const preferences = new Map<string, string>();
  for (const each of (header ?? '').split(',')) {
    const [name = '', value = ''] = (each.split(';')[0] ?? '').split('=').map((text) => text.trim());
    // Of several with one name, the first counts (RFC 7240, section 2).
    if (!preferences.has(name.toLowerCase())) preferences.set(name.toLowerCase(), value.replaceAll('"', ''));
  }
  if (!preferences.has('respond-async')) return null;
  const wait = preferences.get('wait') ?? '';
  return { waitSeconds: /^\d{1,9}$/.test(wait) ? Math.min(Number(wait), waitSecondsMax) : null };
}

/** The value of `Preference-Applied`. */
export function appliedPreference({ waitSeconds }: AsyncPreference): string {
  return waitSeconds === null ? 'respond-async' : `respond-async, wait=${waitSeconds}`;
}
