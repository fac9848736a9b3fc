import { RE2JS } from 're2js';
import { createRedactor, type OptionalDetector, type Redactor } from './createRedactor.ts';

/**
 * What an installation adds to redaction, as plain data, from which the engine process makes the same redactor as the
 * service. It cannot disable anything.
 */
export interface RedactionConfig {
  readonly detectors: readonly OptionalDetector[];
  /** Patterns in RE2 syntax, each with the name in its marks. */
  readonly patterns: readonly { readonly name: string; readonly pattern: string }[];
  readonly fields: readonly string[];
  /** The key for pseudonyms; null for plain marks. */
  readonly pseudonymKey: string | null;
}

export const defaultRedactionConfig: RedactionConfig = {
  detectors: [],
  patterns: [],
  fields: [],
  pseudonymKey: null,
};

/** Makes the redactor. Throws RangeError for a name that is not allowed in a mark, and an error of re2js for an invalid pattern. */
export function redactorOf({ detectors, patterns, fields, pseudonymKey }: RedactionConfig): Redactor {
  return createRedactor({
    detectors,
    patterns: patterns.map(({ name, pattern }) => ({ name, pattern: RE2JS.compile(pattern) })),
    fields,
    pseudonymKey: pseudonymKey === null ? undefined : Buffer.from(pseudonymKey, 'utf8'),
  });
}
