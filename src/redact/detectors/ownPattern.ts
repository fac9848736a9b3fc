import type { RE2JS } from 're2js';
import type { Detector } from '../detector.ts';

/** A pattern of the operator's own: all that it matches is replaced. RE2 is linear whatever the pattern. */
export function ownPattern(name: string, pattern: RE2JS): Detector {
  return {
    name,
    kind: name,
    hint: null,
    find({ text }, report) {
      const matcher = pattern.matcher(text);
      // An empty match says where, not what; the search goes on after it by itself.
      while (matcher.find()) if (matcher.end() > matcher.start()) report(matcher.start(), matcher.end());
    },
    canonical: (core) => core,
  };
}
