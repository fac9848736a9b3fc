import { createHmac } from 'node:crypto';

/** Writes what stands in place of personal data. `canonical` is asked for only where the mark depends on it. */
export interface MarkWriter {
  write(kind: string, canonical: () => string): string;
  /** Finds the marks of redacted rows in a text; one of its groups is their kind. */
  readonly pattern: RegExp;
  /** What the marks depend on, without the key itself. */
  readonly description: string;
}

/** `[REDACTED:ip]`: nothing of the value. */
export const plainMarks: MarkWriter = {
  write: (kind) => `[REDACTED:${kind}]`,
  pattern: /\[REDACTED:([a-z][a-z0-9_]{0,31})\]/g,
  description: 'mark',
};

/**
 * `[ip:7f3a9c]`: the first 24 bits of HMAC-SHA-256 of kind and value under the key, so the same value
 * has the same mark wherever it stands, and nobody without the key can tell values by trying them.
 */
export function pseudonymMarks(key: Uint8Array): MarkWriter {
  const digest = (text: string): string => createHmac('sha256', key).update(text, 'utf8').digest('hex');
  return {
    write: (kind, canonical) => `[${kind}:${digest(`${kind}\0${canonical()}`).slice(0, 6)}]`,
    // Plain marks stand where pseudonyms must not (`ColumnOrigin.isGiven`).
    pattern: /\[(?:REDACTED:([a-z][a-z0-9_]{0,31})|([a-z][a-z0-9_]{0,31}):[0-9a-f]{6})\]/g,
    description: `pseudonym ${digest('description')}`,
  };
}
