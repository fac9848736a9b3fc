import { describe, expect, it } from 'vitest';
import { tokenize } from './lexer.ts';
import { LineMap } from './lineMap.ts';
import { NoticeList } from './notice.ts';
import { refusalOf } from './testing/expectations.ts';

function tokens(text: string) {
  return tokenize(text, new LineMap(text), new NoticeList());
}

function value(text: string): string | undefined {
  const [token, end] = tokens(text);
  expect(end?.kind).toBe('end');
  return token?.value;
}

const kinds = (text: string) => tokens(text).map(({ kind, text: written }) => `${kind}:${written}`);

describe('tokens', () => {
  it('are words, literals, parameters and symbols, with comments and blanks between', () => {
    expect(kinds("Select a.b, 'x'--c\n#d\n/* e\n */ @p <= `q r`\u00a0|> 0x1F;")).toEqual([
      'word:Select',
      'word:a',
      'symbol:.',
      'word:b',
      'symbol:,',
      "string:'x'",
      'parameter:@p',
      'symbol:<=',
      'quoted:`q r`',
      'symbol:|>',
      'integer:0x1F',
      'symbol:;',
      'end:',
    ]);
  });

  it('know where they start and end', () => {
    expect(tokens("a  'b'").map(({ offset, end }) => [offset, end])).toEqual([
      [0, 1],
      [3, 6],
      [6, 6],
    ]);
  });

  it('take the longest symbol', () => {
    expect(kinds('a<=b<>c<<d||e::f=>g>>h!=i|j').filter((each) => each.startsWith('symbol'))).toEqual(
      ['<=', '<>', '<<', '||', '::', '=>', '>>', '!=', '|'].map((each) => `symbol:${each}`),
    );
  });

  it('end a comment at its line, also at the last one', () => {
    expect(kinds('1 -- 2')).toEqual(['integer:1', 'end:']);
    expect(kinds('1 # 2')).toEqual(['integer:1', 'end:']);
    for (const end of ['\n', '\r', '\r\n']) expect(kinds(`1 -- x${end}2`)).toEqual(['integer:1', 'integer:2', 'end:']);
    expect(kinds('1 /**/ /* * / */ 2')).toEqual(['integer:1', 'integer:2', 'end:']);
    expect(kinds("'--' '#' '/*'")).toEqual(["string:'--'", "string:'#'", "string:'/*'", 'end:']);
  });

  it('tell words that begin with a string prefix from strings', () => {
    expect(kinds("r b rb br r'x' bar'y'")).toEqual([
      'word:r',
      'word:b',
      'word:rb',
      'word:br',
      "string:r'x'",
      'word:bar',
      "string:'y'",
      'end:',
    ]);
  });
});

describe('escapes in strings', () => {
  it.each([
    [String.raw`'\a\b\f\n\r\t\v'`, '\x07\b\f\n\r\t\v'],
    ["'\\\\ \\? \\\" \\' \\`'", '\\ ? " \' `'],
    [String.raw`'\x41\X7a\xe9'`, 'Azé'],
    [String.raw`'\101\000\377'`, 'A\0ÿ'],
    [String.raw`'\u00e9\U0001F600'`, 'é😀'],
    [String.raw`'\\s'`, String.raw`\s`],
    ['"""a\\"""b"""', 'a"""b'],
    ["'''a\r\nb\rc'''", 'a\nb\nc'],
    ['"""a"b""c"""', 'a"b""c'],
  ] as const)('%s', (text, expected) => {
    const [token] = tokens(text);
    expect(token?.value).toBe(expected);
  });

  it.each([
    [String.raw`'\.'`, String.raw`\.`],
    [String.raw`'\d+\s'`, String.raw`\d+\s`],
    [String.raw`'\1'`, String.raw`\1`],
    [String.raw`'\48'`, String.raw`\48`],
    [String.raw`'\😀'`, String.raw`\😀`],
    [String.raw`'\/rest\/'`, String.raw`\/rest\/`],
  ] as const)('an unknown one is kept as written: %s', (text, expected) => {
    expect(value(text)).toBe(expected);
  });

  it.each([
    [String.raw`r'\n'`, String.raw`\n`],
    [String.raw`r'\''`, String.raw`\'`],
    [String.raw`R"^\d+\.\w"`, String.raw`^\d+\.\w`],
    [String.raw`r'''a\'''b'''`, String.raw`a\'''b`],
  ] as const)('a raw string has none: %s', (text, expected) => {
    expect(value(text)).toBe(expected);
  });

  it.each([
    ["'it''s'", "it's"],
    ["''''''", ''],
    ["'a'''", "a'"],
    ['"a""b"', 'a"b'],
    ["r'a''b'", "a'b"],
  ] as const)('a doubled quote is one quote: %s', (text, expected) => {
    expect(value(text)).toBe(expected);
  });

  it('bytes take \\x and octal escapes as bytes, characters as UTF-8', () => {
    expect(value(String.raw`b'\xff\377é\n'`)).toBe('ffffc3a90a');
    expect(value(String.raw`b'\.'`)).toBe('5c2e');
  });

  it('backticks hold any text, with the same escapes', () => {
    expect(value('`a.b-c d`')).toBe('a.b-c d');
    expect(value('`a\\`b\\\\c`')).toBe('a`b\\c');
    expect(value('`it\'s "x"`')).toBe('it\'s "x"');
  });
});

describe('lexical errors name the place and what was expected', () => {
  it.each([
    ["select 'abc", 1, 8, "a closing ' for the string that starts here"],
    ["select 'abc\nd'", 1, 8, "a closing ' for the string that starts here"],
    ["select 'abc\\\nd'", 1, 8, "a closing ' for the string that starts here"],
    ["select r'abc\\", 1, 9, "a closing ' for the string that starts here"],
    ["select\n  '''abc'", 2, 3, "a closing ''' for the string that starts here"],
    ['select `abc', 1, 8, 'a closing ` for the identifier that starts here'],
    ['select ``', 1, 8, 'a name between the backticks'],
    ['select 1 /* x', 1, 10, 'a closing */ for the comment that starts here'],
    [String.raw`select 'a\x4'`, 1, 10, '2 hexadecimal digits after \\x'],
    [String.raw`select '\u12'`, 1, 9, '4 hexadecimal digits after \\u'],
    [String.raw`select '\U0011'`, 1, 9, '8 hexadecimal digits after \\U'],
    [String.raw`select '\ud83d'`, 1, 9, 'a Unicode code point up to 10FFFF that is not a surrogate'],
    [String.raw`select '\U00110000'`, 1, 9, 'a Unicode code point up to 10FFFF that is not a surrogate'],
    ['select 1a', 1, 8, 'a space between the number 1 and the word after it'],
    ['select 0x', 1, 8, 'a space between the number 0 and the word after it'],
    ['select 18446744073709551616', 1, 8, 'a 64-bit integer'],
    ['select 1e400', 1, 8, 'a number that FLOAT64 can hold'],
    ['select @', 1, 8, 'a parameter name after @'],
    ['select é', 1, 8, 'a name, a number, a string or an operator'],
    ['select ‘x’', 1, 8, 'a name, a number, a string or an operator'],
    ['select \u0000', 1, 8, 'a name, a number, a string or an operator'],
    ['select $1', 1, 8, 'a name, a number, a string or an operator'],
  ] as const)('%j', (text, line, column, expected) => {
    const error = refusalOf(text);
    expect(error.code).toBe('sql.syntax');
    expect(error.errors).toEqual([expect.objectContaining({ line, column, expected })]);
  });

  it.each(['select @@version', 'select ?', 'select 1 from t @{x=1}'])(
    'refuses what GoogleSQL has and we have not: %s',
    (text) => {
      expect(refusalOf(text).code).toBe('sql.unsupported');
    },
  );
});
