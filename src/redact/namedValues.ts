/**
 * Whether a member names the value of its object: `{"name": "Cookie", "value": "…"}` is treated like `{"Cookie": "…"}`, in
 * the forms of HAR, Kubernetes, OTLP attributes and audit logs (`oldValue`).
 */
export function isNameMember(name: string): boolean {
  return nameMember.test(name);
}

/**
 * Whether a member names it by a path, as in JSON Patch (RFC 6902) and in reports of validation: `"path": "/user/password"`,
 * `"loc": ["body", "password"]`.
 */
export function isPathMember(name: string): boolean {
  return pathMember.test(name);
}

/** The last name in a path: that of `/user/password`, `user.password`, `$['password']` or `input[name=password]`. */
export function lastOfPath(path: string): string {
  return lastName.exec(path)?.[1] ?? '';
}

export function isValueMember(name: string): boolean {
  return valueMember.test(name);
}

const nameMember =
  /^(?:(?:header|field|param(?:eter)?|attribute|variable|property|column|setting|option)?[_-]?(?:name|key)|header|field|param(?:eter)?|attr(?:ibute)?|variable|prop(?:erty)?|column|setting|label|k|id)$/i;
const pathMember = /^(?:[\w-]{0,32}path|loc|location|pointer|selector)$/i;
const lastName = /([\w-]{1,64})[\]'")\s]{0,8}$/;
const valueMember = /^(?:[\w-]*values?|val|v|data|old|new|from|to|before|after|lhs|rhs|previous|input|received)$/i;

/** Matches every JSON text whose objects may name their values. */
export const namedValueHint =
  /(?:alue|ALUE)[sS]?"\s*:|"(?:[vV](?:al|AL)?|[dD](?:ata|ATA)|[oO](?:ld|LD)|[nN](?:ew|EW)|[fF](?:rom|ROM)|[tT][oO]|[bB](?:efore|EFORE)|[aA](?:fter|FTER)|[lrLR](?:hs|HS)|[pP](?:revious|REVIOUS)|[iI](?:nput|NPUT)|[rR](?:eceived|ECEIVED))"\s*:/;

/** Deeper text is not treated as JSON (rewriteJson.ts). */
const depthMax = 1_000;

interface Frame {
  /** The offset of its bracket. */
  readonly start: number;
  readonly isObject: boolean;
  /** The name of the member that is being read; null if the next string is a name. */
  member: string | null;
  kind: string | undefined;
  /** The quotes of its last text, if it is an array. */
  lastText: readonly [opening: number, end: number] | undefined;
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
  /** An array that ends may be the path of the object around it. */
  const namePath = (ended: Frame | undefined, around: Frame | undefined): void => {
    if (ended?.lastText === undefined || around?.isObject !== true || !isPathMember(around.member ?? '')) return;
    around.kind ??= kindOf(contentOf(text, ...ended.lastText), above);
  };
  for (let at = 0; at < text.length; at++) {
    const frame = frames.at(-1);
    switch (text.charCodeAt(at)) {
      case 0x22: {
        const end = endOfString(text, at);
        if (frame?.isObject === true) {
          if (frame.member === null) frame.member = contentOf(text, at, end);
          else if (isNameMember(frame.member)) frame.kind ??= kindOf(contentOf(text, at, end), above);
          else if (isPathMember(frame.member)) frame.kind ??= kindOf(lastOfPath(contentOf(text, at, end)), above);
        } else if (frame !== undefined) frame.lastText = [at, end];
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
          lastText: undefined,
          isInMember: frame?.isObject === true,
        });
        break;
      case 0x7d:
      case 0x5d:
        if (frame?.kind !== undefined) kinds.set(frame.start, frame.kind);
        if (frame?.isInMember === true) above.pop();
        frames.pop();
        namePath(frame, frames.at(-1));
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
