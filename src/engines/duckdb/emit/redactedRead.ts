import type { ScalarTypeName } from '../../../googlesql/types.ts';
import { scriptedNames } from '../functions/scriptedNames.ts';
import { readMember } from './jsonRead.ts';
import { quoteText } from './literal.ts';

/** SQL of a redacted text. `path` is its column or member, `tag` the SQL of the statement's tag. */
export function redactedText(sql: string, path: readonly string[], tag: string): string {
  return `${scriptedNames.redactText}(${sql}, ${quoteText(JSON.stringify(path))}, ${tag})`;
}

/** SQL of a redacted JSON value, read as `wanted`: strings are redacted, numbers under personal members become null. */
export function redactedJson(json: string, path: readonly string[], wanted: ScalarTypeName, tag: string): string {
  const shown = `${scriptedNames.redactJson}(CAST(${json} AS VARCHAR), ${quoteText(JSON.stringify(path))}, ${tag})`;
  return wanted === 'JSON' ? `CAST(nullif(${shown}, 'null') AS JSON)` : readMember(shown, [], wanted, false);
}
