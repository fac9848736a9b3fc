import { type Document, isCollection, isMap, isNode, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import type { DefinitionIssue, Locate, TextPosition } from './definitionIssue.ts';
import { contentProblem, depthProblem, type YamlProblem } from './yamlProblem.ts';

export type YamlMap =
  | {
      readonly kind: 'map';
      readonly fields: Record<string, unknown>;
      readonly locate: Locate;
      /** Finds a place within the text of a field, as exactly as the YAML style allows. Both count from 1. */
      readonly locateIn: (path: readonly string[], place: TextPosition) => TextPosition | undefined;
    }
  | { readonly kind: 'wrong'; readonly issue: DefinitionIssue; readonly locate: Locate };

/**
 * Parses YAML 1.2 that is one map, and locates its fields. With `intAsBigInt` every integer is a bigint, so that no digit
 * is lost.
 */
export function readYamlMap(text: string, options: { readonly intAsBigInt?: boolean } = {}): YamlMap {
  const lines = new LineCounter();
  const wrong = ({ message, offset }: YamlProblem): YamlMap => ({
    kind: 'wrong',
    issue: { path: [], problem: message },
    locate: () => positionOf(offset),
  });
  // The line counter is empty until the whole text is parsed, so lines are counted here.
  const tooDeep = depthProblem(text);
  if (tooDeep !== undefined) {
    const before = text.slice(0, tooDeep.offset).split('\n');
    const position = { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
    return { kind: 'wrong', issue: { path: [], problem: tooDeep.message }, locate: () => position };
  }
  const document = parseDocument(text, {
    lineCounter: lines,
    strict: true,
    uniqueKeys: true,
    prettyErrors: false,
    ...options,
  });
  const positionOf = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) {
    return wrong({ message: `is not valid YAML: ${problem.message}`, offset: problem.pos[0] });
  }
  const root = document.contents;
  if (!isMap(root)) {
    return { kind: 'wrong', issue: { path: [], problem: 'must be a map of fields' }, locate: () => undefined };
  }
  const content = contentProblem(document);
  if (content !== undefined) return wrong(content);
  let fields: Record<string, unknown>;
  try {
    fields = document.toJS() as Record<string, unknown>;
  } catch (error) {
    // Nested aliases whose values would be far larger than the text.
    if (!(error instanceof ReferenceError)) throw error;
    return wrong({ message: `is not valid YAML: ${error.message}`, offset: firstAlias(document) });
  }
  return {
    kind: 'map',
    fields,
    locate: (path) => {
      const offset = offsetOf(root, path);
      return offset === undefined ? undefined : positionOf(offset);
    },
    locateIn: (path, place) => {
      const node = document.getIn(path, true);
      if (!isScalar(node) || node.range == null) return undefined;
      const begin = positionOf(node.range[0]);
      const isBlock = node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED';
      const written = String(node.value).split('\n')[place.line - 1]?.trimEnd() ?? '';
      const line = begin.line + place.line - (isBlock ? 0 : 1);
      const source = text.split('\n')[line - 1] ?? '';
      const indent = source.indexOf(written, line === begin.line ? begin.column - 1 : 0);
      return indent < 0 ? begin : { line, column: indent + place.column };
    },
  };
}

function firstAlias(document: Document): number {
  let offset = 0;
  visit(document, {
    Alias(_key, alias) {
      offset = alias.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return offset;
}

/** Offset of the key at the end of the path, or of the last key of the path that exists. */
function offsetOf(root: unknown, path: readonly string[]): number | undefined {
  let node = root;
  let offset = isNode(root) ? root.range?.[0] : undefined;
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === part);
      if (pair === undefined) break;
      offset = isScalar(pair.key) ? pair.key.range?.[0] : offset;
      node = pair.value;
    } else if (isCollection(node)) {
      const item: unknown = node.items[Number(part)];
      if (!isNode(item)) break;
      offset = item.range?.[0];
      node = item;
    }
  }
  return offset;
}
