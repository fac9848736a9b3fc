/**
 * Whether a member names the value of its object: `{"name": "Cookie", "value": "…"}` is treated like `{"Cookie": "…"}`, in
 * the forms of HAR, Kubernetes, OTLP attributes and audit logs (`oldValue`).
 */
export function isNameMember(name: string): boolean {
  return nameMember.test(name);
}

export function isValueMember(name: string): boolean {
  return valueMember.test(name);
}

const nameMember =
  /^(?:(?:header|field|param(?:eter)?|attribute|variable|property|column|setting)?[_-]?(?:name|key)|header|field|param(?:eter)?|attr(?:ibute)?|variable|prop(?:erty)?|column|setting|label|k|id)$/i;
const valueMember = /^(?:[\w-]*values?|val|v|data)$/i;

/** Matches every JSON text whose objects may name their values. */
export const namedValueHint = /(?:alue|ALUE)[sS]?"\s*:|"(?:[vV](?:al|AL)?|[dD](?:ata|ATA))"\s*:/;

/** Deeper text is not treated as JSON (rewriteJson.ts). */
const depthMax = 1_000;

interface Frame {
  /** The offset of its bracket. */
  readonly start: number;
  readonly isObject: boolean;
  /** The name of the member that is being read; null if the next string is a name. */
  member: string | null;
  kind: string | undefined;
  /** Whether the path includes the enclosing member. */
  readonly isInMember: boolean;
}

/**
 * The objects in a JSON text that name their value as personal: the offset of the bracket and the kind of the value, in
 * either order of the two members. `kindOf` receives the members above the object.
 */
export function namedValuesIn(
  text: string,
  kindOf: (name: string, above: readonly string[]) => string | undefined,
  path: readonly string[],
): ReadonlyMap<number, string> {
  const kinds = new Map<number, string>();
  const frames: Frame[] = [];
  const above = [...path];
  for (let at = 0; at < text.length; at++) {
    const frame = frames.at(-1);
    switch (text.charCodeAt(at)) {
      case 0x22: {
        const end = endOfString(text, at);
        if (frame?.isObject === true) {
          if (frame.member === null) frame.member = contentOf(text, at, end);
          else if (isNameMember(frame.member)) frame.kind ??= kindOf(contentOf(text, at, end), above);
        }
        at = end;
        break;
      }
      case 0x2c:
        if (frame !== undefined) frame.member = null;
        break;
      case 0x7b:
      case 0x5b:
        if (frames.length >= depthMax) return kinds;
        if (frame?.isObject === true) above.push(frame.member ?? '');
        frames.push({
          start: at,
          isObject: text.charCodeAt(at) === 0x7b,
          member: null,
          kind: undefined,
          isInMember: frame?.isObject === true,
        });
        break;
      case 0x7d:
      case 0x5d:
        if (frame?.kind !== undefined) kinds.set(frame.start, frame.kind);
        if (frame?.isInMember === true) above.pop();
        frames.pop();
        break;
      default:
    }
  }
  return kinds;
}

/** The closing quote of the string, or the end of the text if there is none. */
function endOfString(text: string, opening: number): number {
  let at = opening + 1;
  for (let code = text.charCodeAt(at); code !== 0x22 && at < text.length; code = text.charCodeAt(at)) {
    at += code === 0x5c ? 2 : 1;
  }
  return at;
}

/** The content of a string. A name longer than any rule is truncated; one with malformed escapes is used as written. */
function contentOf(text: string, opening: number, end: number): string {
  const content = text.slice(opening + 1, Math.min(end, opening + 1 + nameCharsMax));
  if (!content.includes('\\')) return content;
  try {
    return JSON.parse(`"${content}"`) as string;
  } catch {
    return content;
  }
}

const nameCharsMax = 1_024;
