import { useCallback, useState } from 'react';

const prefix = 'logmill.';

/** What the browser keeps until sign-out: settings, drafts and past queries, never tokens or rows. */
export function remembered(name: string): string | null {
  try {
    return localStorage.getItem(prefix + name);
  } catch {
    // Storage can be switched off.
    return null;
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(prefix + name, value);
  } catch {
    // Storage can be full or switched off; then it is forgotten with the page.
  }
}

export function forgetAll(): void {
  try {
    for (const name of Object.keys(localStorage)) if (name.startsWith(prefix)) localStorage.removeItem(name);
  } catch {
    // Storage can be switched off.
  }
}

export function rememberedList(name: string): readonly string[] {
  try {
    const list: unknown = JSON.parse(remembered(name) ?? '[]');
    return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
  } catch {
    return [];
  }
}

/** Puts a text first in a list of the browser. */
export function rememberFirst(name: string, text: string, max: number): void {
  remember(name, JSON.stringify([text, ...rememberedList(name).filter((each) => each !== text)].slice(0, max)));
}

/** A switch that the browser keeps. */
export function useRememberedFlag(name: string, byDefault: boolean): readonly [boolean, (value: boolean) => void] {
  const [value, setValue] = useState(() => (remembered(name) ?? String(byDefault)) === 'true');
  const set = useCallback(
    (next: boolean) => {
      remember(name, String(next));
      setValue(next);
    },
    [name],
  );
  return [value, set];
}
