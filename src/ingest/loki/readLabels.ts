import { type JsonObject, newJsonObject } from '../../core/jsonValue.ts';
import { BadRecord } from '../badRecord.ts';
import { textOf } from '../protobufFields.ts';
import { quoteValue } from '../quoteValue.ts';
import { addPair } from './logLine.ts';

/** Loki's labels have a few hundred bytes. */
const labelsBytesMax = 64 * 1024;

/** One label: its name, which may be quoted, its value in double quotes or backquotes, and a comma unless `}` follows. */
const label =
  /\s*(?:([A-Za-z_][\w:.]*)|"([^"\\]*(?:\\.[^"\\]*)*)")\s*=\s*(?:"([^"\\]*(?:\\.[^"\\]*)*)"|`([^`]*)`)\s*(?:,\s*|(?=\}))/sy;
const end = /\s*\}\s*$/y;

/**
 * Reads the labels of a stream as Prometheus writes them: `{app="web",level="error"}`.
 *
 * @throws BadRecord if the text is not in this form.
 */
export function readLabels(bytes: Uint8Array): JsonObject {
  if (bytes.length > labelsBytesMax) {
    throw new BadRecord(`the labels of a stream have ${bytes.length} bytes; at most ${labelsBytesMax} are allowed`);
  }
  const text = textOf(bytes);
  const labels = newJsonObject();
  const opening = /^\s*\{/.exec(text);
  let at = opening?.[0].length ?? 0;
  for (let count = 1; opening !== null; count++) {
    end.lastIndex = at;
    if (end.test(text)) return labels;
    label.lastIndex = at;
    const match = label.exec(text);
    if (match === null) break;
    const [, bareName, quotedName = '', quoted, raw = ''] = match;
    const name = bareName ?? unescaped(quotedName);
    addPair(labels, count, [name, quoted === undefined ? raw : unescaped(quoted)], 'the labels of a stream');
    at = label.lastIndex;
  }
  throw new BadRecord(
    `the labels of a stream are ${quoteValue(text)}, which cannot be read at character ${at + 1}; they must be like {app="web"}`,
  );
}

const escapes = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.))/gs;
const named: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** Replaces the escapes of a string in Go. */
function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replaceAll(escapes, (_all, byte?: string, short?: string, long?: string, octal?: string, other = '') => {
    if (byte !== undefined) return characterOf(Number.parseInt(byte, 16), 0x7f);
    if (octal !== undefined) return characterOf(Number.parseInt(octal, 8), 0x7f);
    if (short !== undefined) return characterOf(Number.parseInt(short, 16), 0xffff);
    if (long !== undefined) return characterOf(Number.parseInt(long, 16), 0x10_ffff);
    return named[other] ?? other;
  });
}

/** The character; U+FFFD for a byte of a longer character, a surrogate, or what is none. */
function characterOf(code: number, codeMax: number): string {
  return code > codeMax || (code >= 0xd800 && code <= 0xdfff) ? '\ufffd' : String.fromCodePoint(code);
}
