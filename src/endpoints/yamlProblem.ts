import { type Alias, CST, type Document, isAlias, isNode, isScalar, Lexer, visit } from 'yaml';

/** An error in a YAML text and its offset. The message completes "It …". */
export interface YamlProblem {
  readonly message: string;
  readonly offset: number;
}

/** Most levels of nested maps and lists: twice those of an HTTP body. */
const depthMax = 64;

/** Most aliases of one text. Each can stand for many values. */
const aliasesMax = 100;

/**
 * Finds the first place where maps and lists are nested too deeply. It reads tokens, because building the tree of such
 * a text would overflow the stack.
 */
export function depthProblem(text: string): YamlProblem | undefined {
  /** Columns of the lines that enclose the current one. */
  const indents: number[] = [];
  let [offset, column, flow, inLine] = [0, 0, 0, 0];
  let isLineStart = true;
  let isScalarNext = false;
  for (const source of new Lexer().lex(text)) {
    // Marks of the lexer that are not part of the text.
    if (source === CST.DOCUMENT || source === CST.FLOW_END) continue;
    if (source === CST.SCALAR) {
      isScalarNext = true;
      continue;
    }
    const type = isScalarNext ? 'scalar' : CST.tokenType(source);
    isScalarNext = false;
    if (type === 'flow-map-start' || type === 'flow-seq-start') flow++;
    if (type === 'flow-map-end' || type === 'flow-seq-end') flow = Math.max(0, flow - 1);
    if (type === 'seq-item-ind' || type === 'explicit-key-ind') inLine++;
    if (isLineStart && flow === 0 && type !== 'space' && type !== 'newline' && type !== 'comment') {
      while ((indents.at(-1) ?? -1) >= column) indents.pop();
      indents.push(column);
    }
    if (indents.length + flow + inLine > depthMax) {
      return { message: `has maps and lists more than ${depthMax} levels deep`, offset };
    }
    offset += source.length;
    column += source.length;
    if (type !== 'space') isLineStart = false;
    if (!source.endsWith('\n')) continue;
    [column, inLine, isLineStart] = [0, 0, true];
  }
  return undefined;
}

/** Half of a surrogate pair, such as the escape "\uD800" makes. */
const halfPair = /\p{Surrogate}/u;

/**
 * Finds content that JSON cannot have: an alias that contains itself or has no anchor, too many aliases, a key that is
 * not text, or a text with half of a surrogate pair.
 */
export function contentProblem(document: Document): YamlProblem | undefined {
  let found: YamlProblem | undefined;
  let aliases = 0;
  visit(document, {
    Alias(_key, alias) {
      aliases++;
      found = aliasProblem(alias, document, aliases);
      return found === undefined ? undefined : visit.BREAK;
    },
    Scalar(_key, { value, range }) {
      if (typeof value !== 'string' || !halfPair.test(value)) return undefined;
      found = { message: 'has a text with half of a surrogate pair', offset: range?.[0] ?? 0 };
      return visit.BREAK;
    },
    Pair(_key, { key }) {
      const named = isAlias(key) ? (key.resolve(document) ?? key) : key;
      // An alias without an anchor is reported when it is visited.
      if (isAlias(named) || (isScalar(named) && typeof named.value === 'string')) return undefined;
      const offset = isNode(key) ? (key.range?.[0] ?? 0) : 0;
      found = { message: 'has a key that is not text; put it in quotes', offset };
      return visit.BREAK;
    },
  });
  return found;
}

function aliasProblem(alias: Alias, document: Document, count: number): YamlProblem | undefined {
  const offset = alias.range?.[0] ?? 0;
  const name = JSON.stringify(alias.source.slice(0, 64));
  const anchor = alias.resolve(document);
  if (anchor === undefined)
    return { message: `is not valid YAML: Unresolved alias ${name}; no anchor before it has this name`, offset };
  const [start = 0, , end = 0] = anchor.range ?? [];
  if (offset > start && offset < end) return { message: `has an alias ${name} within its own anchor`, offset };
  return count > aliasesMax ? { message: `has more than the allowed ${aliasesMax} aliases`, offset } : undefined;
}
