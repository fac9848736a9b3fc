/** Names of secrets; other words may precede them, as in `db_password`. */
export const secretWords = [
  'passw(?:or)?d(?:[_-]?(?:hash|digest|salt))?',
  'pass(?:phrase|code)',
  '(?<=[_?&])pass',
  'pwd',
  'secret(?:[_-]?key[_-]?base)?',
  '(?:api|access|secret|private|service[_-]?role|encryption|signing)[_-]?key',
  '(?:access|refresh|id|auth|session|api|bearer|service|bot|csrf|xsrf|reset|confirmation|recovery)[_-]?token',
  'token(?:[_-]?hash)?',
  'credentials?',
  '(?:set[_-]?)?cookie',
  '(?:proxy[_-]?)?authorization',
].join('|');

/** Matches every text that contains such a name. */
export const secretHint =
  /[Pp][Aa][Ss][Ss](?:[Ww]|[Pp][Hh]|[Cc][Oo])|_[Pp][Aa][Ss][Ss]|[?&][Pp][Aa][Ss][Ss]|[Pp][Ww][Dd]|[Ss][Ee][Cc][Rr][Ee][Tt]|[_-]?[Kk][Ee][Yy]\W|[Tt][Oo][Kk][Ee][Nn](?:\W|_?[Hh][Aa][Ss][Hh])|[Cc][Oo][Oo][Kk][Ii][Ee]|[Aa][Uu][Tt][Hh][Oo][Rr][Ii][Zz][Aa][Tt]|[Cc][Rr][Ee][Dd][Ee][Nn][Tt]/;

/** Whether the name starts a word, or follows another word of a longer name: `db_password`, `dbPassword`, `PGPASSWORD`. */
export function isWholeName(text: string, at: number, name: string): boolean {
  const before = text.charAt(at - 1);
  if (!/[A-Za-z0-9]/.test(before)) return true;
  return /[a-z0-9]/.test(before) ? /^[A-Z]/.test(name) : !/[a-z]/.test(name);
}

const lastWord = new RegExp(`(?:${secretWords})$`, 'i');
const longestName = 64;

/** Whether a member with this name holds a secret. `token` alone does not count: it often holds a public ID. */
export function isSecretName(name: string): boolean {
  const end = name.slice(-longestName);
  const found = lastWord.exec(end);
  return found !== null && !/^tokens?$/i.test(found[0]) && isWholeName(end, found.index, found[0]);
}
