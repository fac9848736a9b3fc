import { reservedFunctionNames, reservedWords } from './keywords.ts';
import type { Expression, Identifier, StringLiteral, TypedLiteralType } from './nodes.ts';
import { parseArray, parseStruct } from './parseConstructor.ts';
import { parseFunctionCall } from './parseFunctionCall.ts';
import { parseCase, parseCast, parseExists, parseExtract, parseInterval } from './parseKeywordExpression.ts';
import { parseParenthesized } from './parseParentheses.ts';
import type { ParserState } from './parserState.ts';
import { shown } from './syntaxError.ts';

const typedLiterals: ReadonlyMap<string, TypedLiteralType> = new Map([
  ['DATE', 'DATE'],
  ['DATETIME', 'DATETIME'],
  ['TIME', 'TIME'],
  ['TIMESTAMP', 'TIMESTAMP'],
  ['JSON', 'JSON'],
  ['NUMERIC', 'NUMERIC'],
  ['DECIMAL', 'NUMERIC'],
  ['BIGNUMERIC', 'BIGNUMERIC'],
  ['BIGDECIMAL', 'BIGNUMERIC'],
]);

/** Rules that start with their own keyword. Those for unreserved words apply only before `(`. */
const wordRules: ReadonlyMap<string, (p: ParserState) => Expression> = new Map([
  ['NULL', parseNull],
  ['TRUE', parseBoolean],
  ['FALSE', parseBoolean],
  ['CASE', parseCase],
  ['CAST', parseCast],
  ['SAFE_CAST', parseCast],
  ['EXTRACT', parseExtract],
  ['EXISTS', parseExists],
  ['INTERVAL', parseInterval],
  ['ARRAY', parseArray],
  ['STRUCT', parseStruct],
]);

/** Parses a primary expression: a literal, parameter, name, call, constructor or anything in parentheses. */
export function parsePrimary(p: ParserState): Expression {
  const { kind, text, value, word, end } = p.token;
  switch (kind) {
    case 'integer': {
      const pos = p.here;
      p.advance();
      return p.make({ kind: 'IntegerLiteral', value: BigInt(value), isHex: /^0[xX]/.test(value), pos, end });
    }
    case 'float': {
      const pos = p.here;
      p.advance();
      return p.make({ kind: 'FloatLiteral', text, value: Number(text), pos, end });
    }
    case 'string':
      return parseStringLiteral(p);
    case 'bytes': {
      const pos = p.here;
      return p.make({ kind: 'BytesLiteral', hex: adjacent(p, 'bytes'), pos, end: p.lastEnd });
    }
    case 'parameter': {
      const pos = p.here;
      p.advance();
      return p.make({ kind: 'Parameter', name: value, pos, end });
    }
    case 'quoted':
      return parseNameOrCall(p);
    case 'word':
      return parseWord(p, word);
    case 'symbol':
      if (text === '(') return parseParenthesized(p);
      if (text === '[') return parseArray(p);
      return p.fail('an expression');
    case 'end':
      return p.fail('an expression');
  }
}

function parseWord(p: ParserState, word: string): Expression {
  const rule = wordRules.get(word);
  if (rule !== undefined && (reservedWords.has(word) || p.nextIsSymbol('('))) return rule(p);
  if (p.peek(1).kind === 'string') {
    const type = typedLiterals.get(word);
    if (type !== undefined) return parseTypedLiteral(p, type);
  }
  if (!reservedWords.has(word)) return parseNameOrCall(p);
  if (reservedFunctionNames.has(word) && p.nextIsSymbol('(')) return parseNameOrCall(p);
  return failAtReservedWord(p, word);
}

function failAtReservedWord(p: ParserState, word: string): never {
  if (word === 'WITH' && p.nextIsSymbol('(')) p.unsupported('WITH expressions are not supported; use a WITH table.');
  if (word === 'NEW') p.unsupported('Protocol buffers (NEW) are not supported.');
  if (word === 'SELECT' || word === 'WITH') p.fail('an expression', [], 'Put a subquery in its own parentheses.');
  if (word === 'UNNEST') p.fail('an expression', [], 'UNNEST is allowed only in FROM, or after IN.');
  const isClause = [
    'FROM',
    'WHERE',
    'GROUP',
    'ORDER',
    'HAVING',
    'LIMIT',
    'AS',
    'ON',
    'THEN',
    'WHEN',
    'AND',
    'OR',
    'BY',
  ].includes(word);
  p.fail(
    'an expression',
    [],
    isClause ? undefined : `${shown(p.token.text)} is a reserved word; to use it as a name, put it in backticks.`,
  );
}

function parseNull(p: ParserState): Expression {
  const pos = p.here;
  p.advance();
  return p.make({ kind: 'NullLiteral', pos, end: p.lastEnd });
}

function parseBoolean(p: ParserState): Expression {
  const pos = p.here;
  const value = p.advance().word === 'TRUE';
  return p.make({ kind: 'BooleanLiteral', value, pos, end: p.lastEnd });
}

function parseStringLiteral(p: ParserState): StringLiteral {
  const pos = p.here;
  return p.make({ kind: 'StringLiteral', value: adjacent(p, 'string'), pos, end: p.lastEnd });
}

/** Concatenates literals of one kind that are separated by white space or comments (GoogleSQL, "Literals"). */
function adjacent(p: ParserState, kind: 'string' | 'bytes'): string {
  let { value, end } = p.advance();
  while (p.token.kind === kind && p.token.offset > end) {
    const next = p.advance();
    value += next.value;
    end = next.end;
  }
  return value;
}

function parseTypedLiteral(p: ParserState, type: TypedLiteralType): Expression {
  const pos = p.here;
  p.advance();
  const value = parseStringLiteral(p);
  return p.make({ kind: 'TypedLiteral', type, value, pos, end: p.lastEnd });
}

/** Parses a path of names, or a call if a parenthesis follows it. */
function parseNameOrCall(p: ParserState): Expression {
  const pos = p.here;
  const path: Identifier[] = [p.takeIdentifier()];
  while (p.isSymbol('.') && (p.peek(1).kind === 'word' || p.peek(1).kind === 'quoted')) {
    p.advance();
    p.link(path.length);
    path.push(p.takeIdentifier());
  }
  if (p.isSymbol('(')) return parseFunctionCall(p, path);
  const [first, ...fields] = path;
  if (first === undefined) throw new Error('a path has a first name');
  let expression: Expression = p.make({ kind: 'Name', name: first, pos, end: first.end });
  for (const field of fields) {
    expression = p.make({ kind: 'FieldAccess', operand: expression, field, pos, end: field.end });
  }
  return expression;
}
