import { useEffect, useRef } from 'react';
import { remembered } from './remembered.ts';

export type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** Whether the browser remembers that single keys are off (WCAG 2.1.4). */
export const areKeysOff = (): boolean => remembered('keys') === 'false';

/**
 * Single keys, by what they type. They rest in fields, in dialogs and with modifiers. `g e` is a sequence of two. Escape
 * works everywhere.
 */
export function useKeys(keys: Keys): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    let before = '';
    let beforeAt = 0;
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const isEscape = event.key === 'Escape';
      if (!isEscape && (areKeysOff() || isTyping(event) || document.querySelector('dialog[open]') !== null)) return;
      const isSequence = before !== '' && event.timeStamp - beforeAt < 1500;
      const run = (isSequence ? current.current[`${before} ${event.key}`] : undefined) ?? current.current[event.key];
      before = event.key;
      beforeAt = event.timeStamp;
      if (run === undefined) return;
      before = '';
      if (!isEscape) event.preventDefault();
      run(event);
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
}

/** Whether the key goes to a field. The first target is the one inside a shadow root. */
function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return target instanceof HTMLElement && (target.matches('input, textarea, select') || target.isContentEditable);
}
