/** Control characters, and those that change the direction or the width of a text. */
export const hiddenChar = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** A text for places that can hold no chips, such as attributes: such characters become U+FFFD. */
export const withoutHidden = (text: string): string =>
  [...text].map((char) => (hiddenChar.test(char) ? '\ufffd' : char)).join('');
