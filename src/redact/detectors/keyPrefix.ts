import type { Detector } from '../detector.ts';

/** Keys that are recognised by their prefix (contract, section 6). */
export const keyPrefix: Detector = {
  name: 'key_prefix',
  kind: 'key',
  hint: /[bk]_[a-z]{4,11}_|gh[opsur]_|[br]_pat_|xox[A-Za-z]-|AIza|A[KS]IA|lm_|glpat-|tskey-|pypi-|xapp-|(?<![A-Za-z])sk-|sbp_|npm_|hf_|whsec_|shp[a-z]{2}_|do[opr]_v1|SG\.|hv[sbr]\.|ya29\./,
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
  // Of services that logs often name.
  String.raw`glpat-[\w-]{16,}`,
  'sbp_[A-Za-z0-9]{20,}',
  'npm_[A-Za-z0-9]{30,}',
  'hf_[A-Za-z0-9]{30,}',
  'whsec_[A-Za-z0-9+/=]{16,}',
  'shp(?:at|ss|ca|pa)_[A-Fa-f0-9]{16,}',
  String.raw`dckr_pat_[\w-]{16,}`,
  'do[opr]_v1_[a-f0-9]{16,}',
  String.raw`sk-(?:ant|proj|svcacct|admin)-[\w-]{16,}`,
  'sk-[A-Za-z0-9]{32,}',
  String.raw`pypi-[\w-]{30,}`,
  String.raw`xapp-[\w-]{16,}`,
  'tskey-[a-z]{2,12}-[A-Za-z0-9-]{12,}',
  String.raw`SG\.[\w-]{16,}\.[\w-]{16,}`,
  String.raw`hv[sbr]\.[\w-]{16,}`,
  String.raw`ya29\.[\w-]{16,}`,
];

const keys = new RegExp(`(?<![A-Za-z])(?:${shapes.join('|')})`, 'g');
