/**
 * Members in which a list keeps what a member holds otherwise: `{"name": "Cookie", "value": "…"}` is read as
 * `{"Cookie": "…"}` is, in the forms of HAR, of Kubernetes, of attributes of OTLP and of audit logs (`oldValue`).
 */
export function isNameMember(name: string): boolean {
  return nameMember.test(name);
}

export function isValueMember(name: string): boolean {
  return valueMember.test(name);
}

const nameMember = /^(?:(?:header|field|param(?:eter)?|attribute|variable|property)?[_-]?(?:name|key)|header|k)$/i;
const valueMember = /^(?:[\w-]*values?|val|v)$/i;

/** What a JSON text holds whose objects may name their values. */
export const namedValueHint = /(?:alue|ALUE)[sS]?"\s*:|"[vV](?:al|AL)?"\s*:/;

/** What is deeper is not read as JSON (rewriteJson.ts). */
const depthMax = 1_000;

interface Frame {
  /** Where its bracket stands. */
  readonly start: number;
  readonly isObject: boolean;
  /** The name of the member that is being read; null where the next string is one. */
  member: string | null;
  kind: string | undefined;
  /** Whether the path has the member that it stands in. */
  readonly isInMember: boolean;
}

/**
 * Of a JSON text, the objects that name their value as personal, by the place of their bracket, with the kind of what
 * they hold: whichever of the two members comes first. `kindOf` is told the members above the object.
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

/** The quote that closes the string; the end of the text where none does. */
function endOfString(text: string, opening: number): number {
  let at = opening + 1;
  for (let code = text.charCodeAt(at); code !== 0x22 && at < text.length; code = text.charCodeAt(at)) {
    at += code === 0x5c ? 2 : 1;
  }
  return at;
}

/** A name that is longer than any rule asks for is cut; one with escapes that are malformed is read as it is written. */
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
