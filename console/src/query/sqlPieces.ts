/** A part of a query in GoogleSQL: a token, a comment, or the blanks between them. */
export interface SqlPiece {
  readonly kind: 'blank' | 'lineComment' | 'blockComment' | 'word' | 'symbol' | 'other';
  readonly text: string;
}

/** A quoted text. A backslash takes the next character with it; in short forms a doubled quote does not end it. */
const quoted = (quote: string): string =>
  `${quote}${quote}${quote}(?:\\\\[\\s\\S]|(?!${quote}${quote}${quote})[^\\\\])*${quote}${quote}${quote}|${quote}(?:\\\\[^\\r\\n]|${quote}${quote}|[^${quote}\\\\\\r\\n])*${quote}`;

/**
 * In the order in which they are tried. The rules are those of the service's lexer, but for numbers: `1.e5` is three pieces here,
 * which stay together. Behind a dash, `1.dataset` is a path.
 */
const forms: readonly (readonly [SqlPiece['kind'], RegExp])[] = [
  ['blank', /[\s\u0085\ufeff]+/y],
  ['lineComment', /(?:#|--)[^\r\n]*/y],
  ['blockComment', /\/\*[\s\S]*?\*\//y],
  ['other', new RegExp(`(?:[rR][bB]?|[bB][rR]?)?(?:${quoted("'")}|${quoted('"')})`, 'y')],
  ['other', /`(?:\\[^\r\n]|[^`\\\r\n])+`/y],
  ['word', /[A-Za-z_]\w*/y],
  ['other', /@\w+|0[xX][0-9a-fA-F]+|(?:\d+(?:\.(?![A-Za-z_])\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y],
  ['symbol', /<=|>=|<>|!=|<<|>>|\|\||\|>|=>|::|[()[\]{},.;:+\-*&|^~=<>]|\/(?!\*)/y],
];

/** Splits a query. Together the pieces are the text. Null if there is something that is no token, such as an open quote. */
export function sqlPieces(text: string): readonly SqlPiece[] | null {
  const pieces: SqlPiece[] = [];
  for (let at = 0; at < text.length; ) {
    const piece = pieceAt(text, at, pieces.at(-1));
    if (piece === null) return null;
    pieces.push(piece);
    at += piece.text.length;
  }
  return pieces;
}

/** Behind a name or a value, a dot and what follows it are a field: `x.5th`. Elsewhere they are a number. */
const field = /\.\d\w*/y;
const canHaveFields = (last: SqlPiece | undefined): boolean =>
  last?.kind === 'word' ||
  last?.text === ')' ||
  last?.text === ']' ||
  (last?.kind === 'other' && !/^[.\d]/.test(last.text));

function pieceAt(text: string, at: number, last: SqlPiece | undefined): SqlPiece | null {
  field.lastIndex = at;
  const ofField = canHaveFields(last) ? field.exec(text) : null;
  if (ofField !== null) return { kind: 'other', text: ofField[0] };
  for (const [kind, form] of forms) {
    form.lastIndex = at;
    const found = form.exec(text);
    if (found !== null) return { kind, text: found[0] };
  }
  return null;
}
