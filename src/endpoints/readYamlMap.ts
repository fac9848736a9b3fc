import { isCollection, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import type { DefinitionIssue, Locate } from './definitionIssue.ts';

export type YamlMap =
  | { readonly kind: 'map'; readonly fields: Record<string, unknown>; readonly locate: Locate }
  | { readonly kind: 'wrong'; readonly issue: DefinitionIssue; readonly locate: Locate };

/**
 * Reads a text of YAML 1.2 that is one map, and where each of its fields stands. With
 * `intAsBigInt` every integer is a bigint, so that no digit is lost.
 */
export function readYamlMap(text: string, options: { readonly intAsBigInt?: boolean } = {}): YamlMap {
  const lines = new LineCounter();
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
    const issue = { path: [], problem: `is not readable as YAML: ${problem.message}` };
    return { kind: 'wrong', issue, locate: () => positionOf(problem.pos[0]) };
  }
  const root = document.contents;
  if (!isMap(root)) {
    return { kind: 'wrong', issue: { path: [], problem: 'must be a map of fields' }, locate: () => undefined };
  }
  let fields: Record<string, unknown>;
  try {
    fields = document.toJS() as Record<string, unknown>;
  } catch (error) {
    // An alias without an anchor, or so many of them that the values would be far larger than the text.
    if (!(error instanceof ReferenceError)) throw error;
    const issue = { path: [], problem: `is not readable as YAML: ${error.message}` };
    return { kind: 'wrong', issue, locate: () => undefined };
  }
  return {
    kind: 'map',
    fields,
    locate: (path) => {
      const offset = offsetOf(root, path);
      return offset === undefined ? undefined : positionOf(offset);
    },
  };
}

/** Where the key of the last part of the path stands, or of the longest part of it that is there. */
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
