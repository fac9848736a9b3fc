import { type JsonObject, type JsonValue, newJsonObject, setMember } from '../../core/jsonValue.ts';
import type { SyslogHeader } from './syslogHeader.ts';

/** VERSION TIMESTAMP HOSTNAME APP-NAME PROCID MSGID, each followed by a space. */
const head =
  /1 (-|\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)) (\S{1,255}) (\S{1,255}) (\S{1,255}) (\S{1,255}) /y;
const elementStart = /\[([^\s=\]"]{1,255})/y;
/** A value escapes `"`, `\` and `]`; other backslashes are kept. */
const parameter = / ([^\s=\]"]{1,255})="([^"\\]*(?:\\[\s\S][^"\\]*)*)"/y;
const byteOrderMark = '\ufeff';

/** Reads the header of RFC 5424 (section 6) from `at`, after the priority; undefined if the text has another form. */
export function readHeader5424(text: string, at: number): SyslogHeader | undefined {
  head.lastIndex = at;
  const match = head.exec(text);
  if (match === null) return undefined;
  const [, timestamp, host, appName, procId, msgId] = match.map((part) => (part === '-' ? undefined : part));
  const data = readStructuredData(text, head.lastIndex);
  if (data === undefined) return undefined;
  const isEnd = data.end === text.length;
  if (!isEnd && text[data.end] !== ' ') return undefined;
  const textAt = isEnd ? data.end : data.end + 1;
  return {
    timestamp,
    host,
    appName,
    procId,
    msgId,
    structuredData: data.elements,
    textAt: text.startsWith(byteOrderMark, textAt) ? textAt + 1 : textAt,
  };
}

/** Undefined if it is malformed. An element or a parameter that occurs twice: the last one counts. */
function readStructuredData(
  text: string,
  start: number,
): { readonly elements: JsonObject | undefined; readonly end: number } | undefined {
  if (text[start] === '-') return { elements: undefined, end: start + 1 };
  const elements: Record<string, JsonValue> = newJsonObject();
  let at = start;
  while (text[at] === '[') {
    elementStart.lastIndex = at;
    const [, id] = elementStart.exec(text) ?? [];
    if (id === undefined) return undefined;
    at = elementStart.lastIndex;
    const parameters = newJsonObject();
    for (;;) {
      parameter.lastIndex = at;
      const [, name, value] = parameter.exec(text) ?? [];
      if (name === undefined || value === undefined) break;
      setMember(parameters, name, value.replaceAll(/\\(["\\\]])/g, '$1'));
      at = parameter.lastIndex;
    }
    if (text[at] !== ']') return undefined;
    setMember(elements, id, parameters);
    at++;
  }
  return at === start ? undefined : { elements, end: at };
}
