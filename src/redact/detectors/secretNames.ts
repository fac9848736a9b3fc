import type { TextView } from '../textView.ts';

/** How people join the words of a name: `api_key`, `api-key`, `api.key`, `API key`, `apiKey`. */
const joint = '[ ._-]?';
const oneOf = (...words: readonly string[]): string => `(?:${words.join('|')})`;

/** Words that make a key a secret, the longest first; a `public_key`, `primary_key` or `cache_key` is none. */
const keyWords = oneOf(
  ...[
    `pre${joint}shared`,
    `shared${joint}access`,
    `service${joint}role`,
    'application',
    'subscription',
    'encryption',
    'functions',
    'api',
  ],
  ...[
    'app',
    'access',
    'account',
    'secret',
    'private',
    'service',
    'signing',
    'shared',
    'master',
    'admin',
    'auth',
    'consumer',
  ],
  ...['hmac', 'jwt', 'ssh', 'server', 'deploy', 'license', 'licence', 'webhook', 'priv', 'session'],
);

/** Words that make a token a secret in text, where `token` alone also means a word of a language. */
const tokenWords = oneOf(
  ...['access', 'refresh', 'id', 'o?auth', 'session', 'api', 'bearer', 'service', 'bot', 'csrf', 'xsrf', 'reset'],
  ...['confirmation', 'recovery', 'security', 'secret', 'private', 'verification', 'invite', 'login', 'vault'],
  ...['provider', 'csrfmiddleware', 'authenticity', 'requestverification'],
);

const codeWords = oneOf(
  ...['verification', 'security', 'confirmation', `one${joint}time`, 'otp', 'login', 'auth(?:entication|orization)?'],
  ...['2fa', 'mfa', 'recovery', 'backup', 'pin'],
);

const signatureWords = `(?:x[_-]\\w{2,5}[_-]|shared${joint}access${joint})`;
const verifierWords = `(?:code|oauth)${joint}`;
const phraseWords = `(?:seed|recovery|mnemonic|wallet)${joint}`;
const answerWords = `(?:security|secret)${joint}`;
const sessionWords = '(?:j|asp(?:\\.net_?)?)';
const proxy = '(?:proxy[_-]?)';

/** What may follow the name of a secret: `password_confirmation`, `password2`, `apiKeyOld`. */
const after = `[_-]?${oneOf(
  ...['hash', 'digest', 'salt', 'confirm(?:ation)?', 'repeat', 'again', 'value', 'text', 'plain', 'raw', 'old', 'new'],
  ...['pem', 'current', 'md5', 'sha\\d{1,3}', 'b(?:ase)?64', '\\d{1,3}'],
)}`;
const suffix = `(?:${after})?`;
const plural = `(?:${after}|s)?`;

/** Names of secrets; other words may precede them, as in `db_password`. */
export const secretWords = [
  `passw(?:or)?d${plural}`,
  `pass${joint}(?:phrase|code)${suffix}`,
  '(?<=[a-z\\d_.?&])pass',
  '(?<=[_?&])pw',
  `pwd${suffix}`,
  `secret(?:[_-]?key[_-]?base)?${plural}`,
  `${keyWords}${joint}key${plural}`,
  `${tokenWords}${joint}token${suffix}`,
  `token${suffix}`,
  `${codeWords}${joint}codes?`,
  't?otp|cvv2?|cvc2?',
  'credentials?',
  `(?:set[_-]?)?cookie${plural}`,
  `${proxy}?authorization`,
  'x[_-]auth',
  `${verifierWords}verifier`,
  `${phraseWords}phrase`,
  `${answerWords}answers?`,
  `client${joint}assertion`,
  'psk|(?:key|store|require)pass|masterauth',
  `${signatureWords}signature`,
  `${sessionWords}sessionid\\w{0,16}|phpsessid|connect\\.sid`,
].join('|');

/** Letters of a name begin no other word, as they would in `cookieSecret` and `keyStorePassword`. */
const wordEnd = '(?![a-z])';
const pluralHere = `(?:${after}|s${wordEnd})?`;

/**
 * The same names, found from their last words, because few texts contain one of these. Each group is what precedes the
 * last word in the name.
 */
const lastWords = new RegExp(
  [
    `p(?:ass(?:w(?:or)?d${pluralHere}|${joint}(?:phrase|code)${suffix}|(?<=[a-z\\d_.?&]pass))|wd${suffix}|w(?<=[_?&]pw)|hpsessid)`,
    `s(?:ecret(?:[_-]?key[_-]?base)?${pluralHere}|ignature(?<=(${signatureWords})signature)|essionid(?<=(${sessionWords})sessionid)\\w{0,16})`,
    `key(?<=(${keyWords}${joint})key)${pluralHere}`,
    `t(?:oken(?<=(${tokenWords}${joint})?token)${suffix}|otp)`,
    `c(?:ode(?<=(${codeWords}${joint})code)s?|ookie(?<=(set[_-]?)?cookie)${pluralHere}|redential(?:s${wordEnd})?|v[vc]2?|onnect\\.sid)`,
    `authorization(?<=(${proxy})?authorization)|otp|x[_-]auth`,
    `verifier(?<=(${verifierWords})verifier)|phrase(?<=(${phraseWords})phrase)|answers?(?<=(${answerWords})answers?)`,
    `assertion(?<=(client${joint})assertion)|psk|(?:key|store|require)pass${wordEnd}|masterauth${wordEnd}`,
  ].join('|'),
  'gi',
);

/** A name that is one of a secret without the words in front of it. */
const lastOfName = new RegExp(`(?:otp|token${suffix}|cookie${plural}|authorization)$`, 'i');

/** The name of a secret in a text. */
export interface SecretName {
  readonly at: number;
  readonly name: string;
}

const known = new WeakMap<TextView, readonly SecretName[]>();

/** The names of secrets in a text, in order. Two detectors need them. */
export function secretNamesIn(view: TextView): readonly SecretName[] {
  const before = known.get(view);
  if (before !== undefined) return before;
  const found: SecretName[] = [];
  for (const match of view.text.matchAll(lastWords)) {
    const [end, ...front] = match;
    const word = front.find((each) => each !== undefined) ?? '';
    const [at, name] = [match.index - word.length, word + end];
    if (isWholeName(view.text, at, name)) found.push({ at, name });
    else {
      // The letters in front belong to another word: `clientOtp`, `sessionidToken`.
      const rest = lastOfName.exec(name);
      if (rest !== null && rest.index > 0 && isWholeName(view.text, at + rest.index, rest[0]))
        found.push({ at: at + rest.index, name: rest[0] });
    }
  }
  known.set(view, found);
  return found;
}

/**
 * Names of parameters in URLs, forms and cookies that are secrets there, and ordinary words elsewhere: OAuth (RFC 6749, RFC
 * 7636), SAML, CAS, signed URLs of storage services, sessions.
 */
export const parameterWords = [
  ...['code', 'sig', 'signature', 'assertion', 'ticket', 'jwt', 'auth', 'hmac', 'pin', 'psw', 'key'],
  ...['code[_-]?verifier', 'oauth[_-]?verifier', 'device[_-]?code', 'user[_-]?code', 'saml(?:response|request|art)'],
  ...['sid', 'sess(?:ion)?', 'session[_-]?id', '\\w{1,40}_session'],
].join('|');

/** The same pattern for any case, because a hint has no flags. */
export const anyCase = (pattern: string): string =>
  pattern.replaceAll(/\\.|[a-z]/gi, (unit) =>
    unit.startsWith('\\') ? unit : `[${unit.toUpperCase()}${unit.toLowerCase()}]`,
  );

/** Matches every text that contains such a name. Before `key` and `code` are the last letters of the words in front. */
export const secretHint = new RegExp(
  [
    ...['passw', 'pass[ ._-]?(?:ph|co)', '[_.?&]pass', '[_?&]pw', 'pwd', 'secret', 'token', 'cookie', 'credent'].map(
      anyCase,
    ),
    ...['authorizat', 'x[_-]auth', 'signature', 'sess(?:ion)?id', 'connect[.]sid', 'otp', 'cvv', 'cvc'].map(anyCase),
    '[a-z\\d]P(?:ass|ASS)',
    ...['erifier', 'phrase', 'answer', 'assertion', 'psk', '(?:key|store|require)pass', 'masterauth'].map(anyCase),
    `[CDEGHIKNPRSTVYcdeghiknprstvy][ ._-]?${anyCase('key')}`,
    `[AEHNPYaehnpy][ ._-]?${anyCase('code')}`,
    `=(?<=(?:^|[^\\w.-])(?:${anyCase(parameterWords)})=)`,
  ].join('|'),
);

/** `-Dpassword=…` of Java, `-PsigningPassword=…` of Gradle */
const definition = /(?:^|[^\w-])-[DP]$/;

/** Whether the name starts a word, or follows another word of a longer name: `db_password`, `dbPassword`, `PGPASSWORD`. */
export function isWholeName(text: string, at: number, name: string): boolean {
  const before = text.charAt(at - 1);
  if (!/[A-Za-z0-9]/.test(before)) return true;
  if (/[DP]/.test(before) && definition.test(text.slice(Math.max(0, at - 3), at))) return true;
  return /[a-z0-9]/.test(before) ? /^[A-Z]/.test(name) : !/[a-z]/.test(name);
}

const lone = /^tokens?$/i;
/** Words before `token` that make it a place in a list, or a word of a language or protocol. */
const publicWords = oneOf(
  ...['next', 'page', 'paging', 'pagination', 'continuation', 'continue', 'sync', 'resume', 'cursor', 'cancel'],
  ...[
    'cancellation',
    'stop',
    'start',
    'begin',
    'end',
    'eos',
    'bos',
    'pad',
    'unk',
    'sep',
    'cls',
    'mask',
    'first',
    'last',
  ],
  ...['prev', 'previous', 'current', 'new', 'old', 'line', 'string', 'word', 'input', 'output', 'prompt', 'completion'],
  ...['total', 'max', 'min', 'num', 'per', 'idempotency', 'unexpected', 'invalid', 'syntax', 'bad', 'design', 'color'],
);
/** One of them as a whole word: `page_token`, `nextPageToken`, but not `admin_token` or `developerToken`. */
const publicWord = new RegExp(
  `(?:(?<![A-Za-z])${anyCase(publicWords)}|(?<![A-Z])${publicWords.replaceAll(/[a-z]+/g, (word) => word.charAt(0).toUpperCase() + word.slice(1))})[ ._-]?$`,
);
const wordsMax = 24;

/**
 * Whether a name that ends in `token` says no more than that: `Unexpected token: }`. Another word before it makes it a
 * secret (`X-Vault-Token`, `githubToken`), but for words such as in `next_token`.
 */
export function isLoneToken(text: string, at: number, name: string): boolean {
  if (!lone.test(name)) return false;
  const before = text.slice(Math.max(0, at - wordsMax), at);
  const isJoined = /[\w.-]$/.test(before) && !/(?:^|\W)-{1,2}$/.test(before);
  return !isJoined || publicWord.test(before);
}

const lastWord = new RegExp(`(?:${secretWords})$`, 'i');
const longestName = 64;

/** Whether a member with this name holds a secret. `token` alone does not count: it often holds a public ID. */
export function isSecretName(name: string): boolean {
  const end = name.slice(-longestName);
  const found = lastWord.exec(end);
  return found !== null && !isLoneToken(end, found.index, found[0]) && isWholeName(end, found.index, found[0]);
}
