import type { Detector } from '../detector.ts';

/** User and password of a URL (RFC 3986, section 3.2.1): all between `//` and the last `@` before the host. */
export const userInfo: Detector = {
  name: 'userinfo',
  kind: 'key',
  hint: /@/,
  find({ text }, report) {
    for (const match of text.matchAll(authority)) {
      const at = match[0].lastIndexOf('@');
      if (at < 0 || !match[0].slice(0, at).includes(':')) continue;
      report(match.index + 2, match.index + at);
    }
  },
  canonical: (core) => core,
};

const authority = /\/\/[^\s/?#"'<>\\]+/g;
