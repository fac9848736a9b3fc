import { useRef } from 'react';

/** The last value that there was for the same thing: what is shown stays while, or although, the next one fails. */
export function useLast<Value>(value: Value | undefined, of: string): Value | undefined {
  const kept = useRef<{ readonly of: string; readonly value: Value | undefined }>({ of, value: undefined });
  if (value !== undefined) kept.current = { of, value };
  return value ?? (kept.current.of === of ? kept.current.value : undefined);
}
