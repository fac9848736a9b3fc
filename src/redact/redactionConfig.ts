import { RE2JS } from 're2js';
import { createRedactor, type OptionalDetector, type Redactor } from './createRedactor.ts';

/**
 * What an installation adds to redaction, as plain data: the engine process makes the same redactor of
 * it as the service. Nothing in it takes away.
 */
export interface RedactionConfig {
  readonly detectors: readonly OptionalDetector[];
  /** Patterns in RE2 syntax, each with the name of its marks. */
  readonly patterns: readonly { readonly name: string; readonly pattern: string }[];
  readonly fields: readonly string[];
  /** Makes marks pseudonyms; null for plain marks. */
  readonly pseudonymKey: string | null;
}

export const defaultRedactionConfig: RedactionConfig = {
  detectors: [],
  patterns: [],
  fields: [],
  pseudonymKey: null,
};

/** Throws RangeError for a name that cannot stand in a mark, and re2js's error for a pattern that is not RE2. */
export function redactorOf({ detectors, patterns, fields, pseudonymKey }: RedactionConfig): Redactor {
  return createRedactor({
    detectors,
    patterns: patterns.map(({ name, pattern }) => ({ name, pattern: RE2JS.compile(pattern) })),
    fields,
    pseudonymKey: pseudonymKey === null ? undefined : Buffer.from(pseudonymKey, 'utf8'),
  });
}
