import type { Detector } from '../detector.ts';

/** Keys that are recognised by their prefix (contract, section 6). */
export const keyPrefix: Detector = {
  name: 'key_prefix',
  kind: 'key',
  hint: /[bk]_[a-z]{4,11}_|gh[opsur]_|b_pat_|xox[A-Za-z]-|AIza|A[KS]IA|lm_/,
  find({ text }, report) {
    for (const match of text.matchAll(keys)) report(match.index, match.index + match[0].length);
  },
  canonical: (core) => core,
};

/**
 * Each prefix, with the least that follows it in a real key. Letters before a prefix hide it; digits, for example of an
 * address, do not.
 */
const shapes = [
  String.raw`sb_(?:secret|publishable)_[\w-]{8,}`,
  '[spr]k_(?:live|test)_[A-Za-z0-9]{8,}',
  'gh[opsur]_[A-Za-z0-9_]{12,}',
  String.raw`github_pat_\w{12,}`,
  String.raw`xox[A-Za-z]-[\w-]{8,}`,
  String.raw`AIza[\w-]{20,}`,
  '(?:AKIA|ASIA)[A-Z0-9]{12,}',
  'lm_[A-Za-z0-9]{16,}',
];

const keys = new RegExp(`(?<![A-Za-z])(?:${shapes.join('|')})`, 'g');
