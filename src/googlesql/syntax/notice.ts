import type { Position } from './position.ts';

/** Constructs that Logmill accepts and GoogleSQL rejects: one entry per rule of googlesql.md, section 4. */
const sentences = {
  'sql.accepted.doubled_quote':
    "A doubled quote inside a quoted string was read as one quote; in GoogleSQL, write \\'.",
  'sql.accepted.unknown_escape': 'An unknown escape was kept as written; double the backslash or use a raw string.',
  'sql.accepted.double_colon_cast': 'The cast x::type was read as CAST(x AS type).',
  'sql.accepted.ilike': 'ILIKE was read as a case-insensitive LIKE.',
  'sql.accepted.like_escape': 'LIKE … ESCAPE is not part of GoogleSQL; it was read as in standard SQL.',
} as const;

export type NoticeCode = keyof typeof sentences;

/** An entry in `meta.notices` of the answer. */
export interface SyntaxNotice {
  readonly code: NoticeCode;
  readonly message: string;
  readonly pos: Position;
}

/** Collects notices: each code once, at its first position. */
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
