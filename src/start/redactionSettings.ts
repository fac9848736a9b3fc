import * as z from 'zod';
import { checkPattern } from '../endpoints/checkPattern.ts';
import { type OptionalDetector, optionalDetectors } from '../redact/createRedactor.ts';
import type { RedactionConfig } from '../redact/redactionConfig.ts';

/** Redaction settings as given: text, so that a file, the environment and a flag take the same values. */
export interface RedactionSettings {
  readonly redactDetectors?: string | undefined;
  readonly redactFields?: string | undefined;
  readonly redactPatterns?: string | undefined;
  readonly redactKey?: string | undefined;
}

const detectorNames = Object.keys(optionalDetectors) as readonly OptionalDetector[];
const allowedDetectors = `is a list, separated by commas, of ${detectorNames.join(', ')}`;
const allowedFields = 'is a list, separated by commas, of member names, or of member names joined by dots';
const allowedPatterns =
  'is a JSON object of names (1 to 32 of a-z, 0-9 and _, beginning with a letter) and RE2 patterns, such as {"order":"AB-[0-9]+"}';

export const redactDetectors = z
  .string({ error: allowedDetectors })
  .refine((text) => listed(text).every((name) => detectorNames.some((known) => known === name)), allowedDetectors)
  .optional();

export const redactFields = z
  .string({ error: allowedFields })
  .refine((text) => listed(text).every((field) => field.split('.').every((name) => name !== '')), allowedFields)
  .optional();

export const redactPatterns = z
  .string({ error: allowedPatterns })
  .superRefine((text, context) => {
    const patterns = patternsOf(text);
    if (patterns === undefined) {
      context.addIssue({ code: 'custom', message: allowedPatterns });
      return;
    }
    for (const { name, pattern } of patterns) {
      const check = checkPattern(pattern);
      if (check.kind === 'bad') {
        context.addIssue({ code: 'custom', message: `has the pattern ${name}, which ${check.problem}` });
      }
    }
  })
  .optional();

export const redactKey = z
  .string({ error: 'is a string of 32 characters or more' })
  .min(32, 'is a string of 32 characters or more; with a shorter one, values could be guessed from their pseudonyms')
  .optional();

/** The redaction that validated settings configure. */
export function redactionConfigOf(settings: RedactionSettings): RedactionConfig {
  const given = new Set(listed(settings.redactDetectors ?? ''));
  return {
    detectors: detectorNames.filter((name) => given.has(name)),
    fields: listed(settings.redactFields ?? ''),
    patterns: settings.redactPatterns === undefined ? [] : (patternsOf(settings.redactPatterns) ?? []),
    pseudonymKey: settings.redactKey ?? null,
  };
}

function listed(text: string): readonly string[] {
  return text.trim() === '' ? [] : text.split(',').map((part) => part.trim());
}

const patternName = /^[a-z][a-z0-9_]{0,31}$/;

function patternsOf(text: string): RedactionConfig['patterns'] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Not JSON; the caller's message says what is allowed.
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const patterns: { readonly name: string; readonly pattern: string }[] = [];
  for (const [name, pattern] of Object.entries(value)) {
    if (!patternName.test(name) || typeof pattern !== 'string') return undefined;
    patterns.push({ name, pattern });
  }
  return patterns;
}
