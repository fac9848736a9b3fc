/** A part of the text of a SELECT. */
export interface Token {
  readonly kind: 'word' | 'name' | 'text' | 'number' | 'sign';
  /** A word or sign as written; the value of a name or a text. */
  readonly value: string;
  /** Number of open parentheses and brackets around it. */
  readonly depth: number;
}

const words = /[A-Za-z_][A-Za-z0-9_]*/y;
const numbers = /\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![A-Za-z_])/y;
const signs = /<=|>=|!=|<>|->|\|\||::|[-+*/%=<>,.()[\]?:]/y;

/** The tokens of a SELECT as the emitter writes it. Null if a part of the text is none of the known tokens. */
export function tokensOf(sql: string): readonly Token[] | null {
  const tokens: Token[] = [];
  let depth = 0;
  let at = 0;
  const match = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(sql)?.[0] ?? null;
    if (found !== null) at += found.length;
    return found;
  };
  while (at < sql.length) {
    const char = sql[at] as string;
    if (char === ' ' || char === '\n') {
      at++;
      continue;
    }
    if (char === "'" || char === '`') {
      const quoted = quotedFrom(sql, at);
      if (quoted === null) return null;
      at = quoted.end;
      tokens.push({ kind: char === "'" ? 'text' : 'name', value: quoted.value, depth });
      continue;
    }
    // Comments.
    if (sql.startsWith('--', at) || sql.startsWith('/*', at) || sql.startsWith('//', at)) return null;
    const word = match(words);
    if (word !== null) {
      tokens.push({ kind: 'word', value: word, depth });
      continue;
    }
    const number = match(numbers);
    if (number !== null) {
      tokens.push({ kind: 'number', value: number, depth });
      continue;
    }
    const sign = match(signs);
    if (sign === null) return null;
    if (sign === ')' || sign === ']') depth--;
    if (depth < 0) return null;
    tokens.push({ kind: 'sign', value: sign, depth });
    if (sign === '(' || sign === '[') depth++;
  }
  return depth === 0 ? tokens : null;
}

/** The escapes that our literals use; any other makes the text unknown. */
const escapes: Readonly<Record<string, string>> = { '\\': '\\', "'": "'", '`': '`', '0': '\u0000', n: '\n' };

function quotedFrom(sql: string, start: number): { readonly value: string; readonly end: number } | null {
  const quote = sql[start];
  let value = '';
  for (let at = start + 1; at < sql.length; at++) {
    const char = sql[at] as string;
    if (char === '\\') {
      const escaped = escapes[sql[at + 1] ?? ''];
      if (escaped === undefined) return null;
      value += escaped;
      at++;
      continue;
    }
    if (char !== quote) {
      value += char;
      continue;
    }
    // A doubled quote belongs to the text for ClickHouse; ours never has one.
    if (sql[at + 1] === quote) return null;
    return { value, end: at + 1 };
  }
  return null;
}
