import type { RE2JS } from 're2js';
import type { Detector } from '../detector.ts';

/** A custom pattern; each match is replaced. RE2 is linear for every pattern. */
export function ownPattern(name: string, pattern: RE2JS): Detector {
  return {
    name,
    kind: name,
    hint: null,
    find({ text }, report) {
      const matcher = pattern.matcher(text);
      // Skips empty matches, which have no text to replace.
      while (matcher.find()) if (matcher.end() > matcher.start()) report(matcher.start(), matcher.end());
    },
    canonical: (core) => core,
  };
}
