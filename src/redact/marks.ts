import { createHmac } from 'node:crypto';

/** Writes the mark that replaces a value. Calls `canonical` only if the mark depends on the value. */
export interface MarkWriter {
  write(kind: string, canonical: () => string): string;
  /** Finds marks in a text; one of its groups is the kind. */
  readonly pattern: RegExp;
  /** Identifies the form of the marks, without revealing the key. */
  readonly description: string;
}

/** `[REDACTED:ip]`, which reveals nothing about the value. */
export const plainMarks: MarkWriter = {
  write: (kind) => `[REDACTED:${kind}]`,
  pattern: /\[REDACTED:([a-z][a-z0-9_]{0,31})\]/g,
  description: 'mark',
};

/**
 * `[ip:7f3a9c]`: the first 24 bits of HMAC-SHA-256 of kind and value. Equal values have equal marks, and without the key no
 * one can find a value by guessing.
 */
export function pseudonymMarks(key: Uint8Array): MarkWriter {
  const digest = (text: string): string => createHmac('sha256', key).update(text, 'utf8').digest('hex');
  return {
    write: (kind, canonical) => `[${kind}:${digest(`${kind}\0${canonical()}`).slice(0, 6)}]`,
    // Some values must get plain marks (`ColumnOrigin.isGiven`).
    pattern: /\[(?:REDACTED:([a-z][a-z0-9_]{0,31})|([a-z][a-z0-9_]{0,31}):[0-9a-f]{6})\]/g,
    description: `pseudonym ${digest('description')}`,
  };
}
