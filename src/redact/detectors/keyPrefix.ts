import type { Detector } from '../detector.ts';

/** Keys that say what they are by how they begin (contract, section 6). */
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
 * Prefix and the least that follows in a real key. Only letters before it hide a prefix: digits, for
 * instance of an address, do not.
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
