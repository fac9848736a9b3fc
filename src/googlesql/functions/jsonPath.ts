/** One step of a JSON path: a member by name or an element by index. */
export type JsonPathStep =
  | { readonly kind: 'member'; readonly name: string }
  | { readonly kind: 'element'; readonly index: number };

export type JsonPath =
  | { readonly kind: 'path'; readonly steps: readonly JsonPathStep[] }
  | { readonly kind: 'invalid'; readonly sentence: string };

const bareName = /^[^.[\]'"*\s]+/;
const quotedName = /^"((?:[^"\\]|\\.)*)"/s;
const bracketName = /^\[\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*\]/s;
/** `[name]`, which the JSON_EXTRACT functions accept. A name of only digits is an index. */
const bracketBareName = /^\[\s*([\w-]+)\s*\]/;
const bracketIndex = /^\[\s*(\d{1,9})\s*\]/;

/**
 * Parses a JSON path of GoogleSQL's JSON functions: `$`, `.name`, `."any name"`, `['any name']`, `[0]` (GoogleSQL reference,
 * "JSONPath format"), and `[name]` in the legacy form of JSON_EXTRACT. There are no wildcards or filters.
 */
export function parseJsonPath(text: string, form: 'standard' | 'legacy' = 'standard'): JsonPath {
  const invalid = (at: number, what: string): JsonPath => ({
    kind: 'invalid',
    sentence: `The JSON path '${text.slice(0, 100)}' is not valid at character ${at + 1}: ${what}. Examples of paths: '$.a.b[0]', '$."any name"'.`,
  });
  if (!text.startsWith('$')) return invalid(0, 'it must start with $');
  const steps: JsonPathStep[] = [];
  let at = 1;
  while (at < text.length) {
    const rest = text.slice(at);
    const index = bracketIndex.exec(rest);
    const bracket = bracketName.exec(rest);
    const bare = bracketBareName.exec(rest);
    if (index?.[1] !== undefined) {
      steps.push({ kind: 'element', index: Number(index[1]) });
      at += index[0].length;
    } else if (bracket !== null) {
      steps.push({ kind: 'member', name: unescaped(bracket[1] ?? bracket[2] ?? '') });
      at += bracket[0].length;
    } else if (form === 'legacy' && bare?.[1] !== undefined) {
      steps.push({ kind: 'member', name: bare[1] });
      at += bare[0].length;
    } else if (rest.startsWith('.')) {
      const quoted = quotedName.exec(rest.slice(1));
      const plain = bareName.exec(rest.slice(1));
      if (quoted?.[1] !== undefined) steps.push({ kind: 'member', name: unescaped(quoted[1]) });
      else if (plain !== null) steps.push({ kind: 'member', name: plain[0] });
      else return invalid(at + 1, 'expecting a member name after the dot');
      at += 1 + (quoted ?? plain ?? [''])[0].length;
    } else {
      return invalid(at, 'expecting .name, ["name"], [index] or the end');
    }
  }
  return { kind: 'path', steps };
}

const unescaped = (name: string): string => name.replace(/\\(.)/gs, '$1');
