import type { Detector } from '../detector.ts';
import type { Span } from './addressContext.ts';

/**
 * The user and password of a URL (RFC 3986, section 3.2.1): everything between `//` and the last `@` before the host. The
 * password may contain `/`, `?` or `#`, which URLs forbid but passwords have, unless it starts like a port.
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

/** The spans of user and password; `to` is the offset of the `@`. */
export function userInfosIn(text: string): readonly Span[] {
  const found: Span[] = [];
  for (const match of text.matchAll(urls)) {
    const [whole, authority = ''] = match;
    const isInAuthority = authority.includes('@');
    const at = isInAuthority ? authority.lastIndexOf('@') + 2 : whole.lastIndexOf('@');
    const hasPassword = isInAuthority ? whole.lastIndexOf(':', at) > 0 : at > 0 && passwordStart.test(authority);
    if (hasPassword) found.push({ from: match.index + 2, to: match.index + at });
  }
  for (const { 1: user = '', index } of text.matchAll(addresses)) found.push({ from: index, to: index + user.length });
  return found;
}

/** An apostrophe that ends a quoted text is not part of a password. */
const unit = String.raw`(?:[^\s/?#"'<>\\]|'(?![,;:)\]}\s]|$))`;
const urls = new RegExp(`//(${unit}+)(?:[/?#](?!/)${unit}*)*`, 'g');
/** In the addresses of Go's drivers, as in `jane:secret@tcp(db:3306)/shop`. */
const addresses = /(?<![\w/:@.+-])([\w.+-]{1,64}:[^\s@/"'\\]{1,256})@(?=(?:tcp[46]?|udp|unix|cloudsql[\w-]{0,32})\()/g;

const passwordStart = /^[^:[\]]*:(?!\d*$)/;
