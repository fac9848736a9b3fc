import type { Detector } from '../detector.ts';
import type { Span } from './addressContext.ts';

/**
 * User and password of a URL (RFC 3986, section 3.2.1): all between `//` and the last `@` before the host.
 * Also with `/`, `?` or `#` in the password, which a URL must not have and passwords do: then no port stands
 * where the password begins.
 */
export const userInfo: Detector = {
  name: 'userinfo',
  kind: 'key',
  hint: /@/,
  find({ text }, report) {
    for (const { from, to } of userInfosIn(text)) report(from, to);
  },
  canonical: (core) => core,
};

/** Where user and password stand; `to` is the place of the `@`. */
export function userInfosIn(text: string): readonly Span[] {
  const found: Span[] = [];
  for (const match of text.matchAll(urls)) {
    const [whole, authority = ''] = match;
    const isInAuthority = authority.includes('@');
    const at = isInAuthority ? authority.lastIndexOf('@') + 2 : whole.lastIndexOf('@');
    const hasPassword = isInAuthority ? whole.lastIndexOf(':', at) > 0 : at > 0 && passwordStart.test(authority);
    if (hasPassword) found.push({ from: match.index + 2, to: match.index + at });
  }
  return found;
}

/** An apostrophe before what ends a quoted text is no part of a password. */
const unit = String.raw`(?:[^\s/?#"'<>\\]|'(?![,;:)\]}\s]|$))`;
const urls = new RegExp(`//(${unit}+)(?:[/?#](?!/)${unit}*)*`, 'g');
const passwordStart = /^[^:[\]]*:(?!\d*$)/;
