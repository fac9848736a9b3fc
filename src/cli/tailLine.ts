import { isJsonObject, type JsonValue, memberNames } from '../core/jsonValue.ts';
import { writeJson } from '../core/writeJson.ts';
import type { TextStyle } from './cliContext.ts';

/** A piece of a line, in one style. */
export interface LinePiece {
  readonly text: string;
  readonly style?: TextStyle;
}

/** Texts that need no quotes. */
const plain = /^[\p{L}\p{N}_.:/@+-]+$/u;

/**
 * A row on one line, as `name=value`; only the value if it has one column. `types`: those of the columns, by name.
 */
export function tailLine(row: JsonValue, types: ReadonlyMap<string, string>): readonly LinePiece[] {
  if (!isJsonObject(row)) return [{ text: writeJson(row) }];
  const names = memberNames(row);
  return names.flatMap((name, i) => {
    const shown = valuePiece(row[name] ?? null, types.get(name), names.length === 1);
    return names.length === 1 ? [shown] : [{ text: `${i === 0 ? '' : ' '}${name}=`, style: 'dim' as const }, shown];
  });
}

function valuePiece(value: JsonValue, type: string | undefined, isAlone: boolean): LinePiece {
  if (type === 'TIMESTAMP') return { text: typeof value === 'string' ? value : writeJson(value), style: 'green' };
  if (typeof value === 'string') {
    const text = plain.test(value) ? value : writeJson(value);
    return { text: isAlone && !/[\p{Cc}]/u.test(value) ? value : text };
  }
  if (value === null) return { text: 'null', style: 'dim' };
  return { text: writeJson(value), style: typeof value === 'object' ? 'cyan' : 'yellow' };
}
