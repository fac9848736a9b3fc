import type { Position } from './position.ts';

/** What we accept although GoogleSQL would not, one entry per rule of googlesql.md, section 4. */
const sentences = {
  'sql.accepted.doubled_quote': "A doubled quote inside a quoted string was read as one quote; GoogleSQL writes \\'.",
  'sql.accepted.unknown_escape':
    'An escape that GoogleSQL does not know was kept as written; double the backslash or use a raw string.',
  'sql.accepted.double_colon_cast': 'The cast x::type was read as CAST(x AS type).',
  'sql.accepted.ilike': 'ILIKE was read as LIKE without regard to case.',
  'sql.accepted.like_escape': 'LIKE … ESCAPE is not part of GoogleSQL; it was read as in standard SQL.',
} as const;

export type NoticeCode = keyof typeof sentences;

/** Goes into `meta.notices` of the answer. */
export interface SyntaxNotice {
  readonly code: NoticeCode;
  readonly message: string;
  readonly pos: Position;
}

/** Collects notices, each code once, at its first place. */
export class NoticeList {
  readonly #notices = new Map<NoticeCode, SyntaxNotice>();

  add(code: NoticeCode, pos: () => Position): void {
    if (this.#notices.has(code)) return;
    this.#notices.set(code, Object.freeze({ code, message: sentences[code], pos: pos() }));
  }

  toArray(): readonly SyntaxNotice[] {
    return Object.freeze([...this.#notices.values()]);
  }
}
