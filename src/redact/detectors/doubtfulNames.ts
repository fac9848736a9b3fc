/**
 * Names that are secrets in some logs and ordinary words in others (`pass=hunter2` and `pass=3 fail=0`), so the value
 * decides.
 */

const pinName = '(?:[\\w.-]{0,40}[_.-])?pin';
const pinNumber = /^\d{4,12}$/;

const doubtful: readonly { readonly name: string; readonly isSecret: (value: string, isProse: boolean) => boolean }[] =
  [
    {
      name: 'pass|pw',
      // After a colon stands prose as often as a value: `first pass: parsing`.
      isSecret: (value, isProse) => value.length >= 4 && !ordinaryPass.test(value) && (!isProse || isMixed.test(value)),
    },
    { name: pinName, isSecret: (value) => pinNumber.test(value) },
    // One word is the name of a machine instruction.
    { name: 'mnemonic', isSecret: (value) => /^(?:[a-z]{3,10}[\s,]{1,4}){5}/i.test(value) },
    {
      name: 'sid|sess(?:ion)?|jwt|[\\w.-]{0,40}session[ _.-]?id',
      isSecret: (value) => isRandom.test(value) && !publicId.test(value),
    },
  ];

/** Results, counts, shares and durations of a pass: `ok`, `12`, `2/3`, `99.5%`, `12ms`. */
const ordinaryPass =
  /^(?:[-+]?\d+(?:[.,/]\d+)*\s?(?:%|[nuµm]?s|min|h)?|ok|pass(?:ed)?|fail(?:ed|ure)?|success(?:ful)?|done|errors?|warn(?:ing)?s?|skip(?:ped)?|true|false|null|none|all|partial|first|second|third|last|final|object object)$/i;
const isMixed = /^(?=\D*\d)(?=[^A-Za-z]*[A-Za-z])\S{6,}$/;
const isRandom = /^(?=\D*\d)(?=[^A-Za-z]*[A-Za-z])[\w.~+/=%:-]{16,}$/;
/** UUIDs, session IDs in logs of PostgreSQL, security identifiers of Windows, identifiers of Twilio. None of these gives access. */
const publicId =
  /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{8}\.[\da-f]{1,8}|S-\d-[\d-]+|[A-Z]{2}[\da-f]{32})$/i;

const names = doubtful.map(({ name, isSecret }) => ({ expression: new RegExp(`^(?:${name})$`, 'i'), isSecret }));

/** Whether the value decides if a member with this name holds a secret. */
export function isDoubtfulName(name: string): boolean {
  return lastLetter.test(name.charAt(name.length - 1)) && names.some(({ expression }) => expression.test(name));
}

/** Most names end with another letter, and every text of a row has a name. */
const lastLetter = /[CDNSTWcdnstw]/;

/** Whether a text after a name or in a member of that name is a secret. `isProse`: after a colon outside of quotes. */
export function isSecretUnder(name: string, value: string, isProse = false): boolean {
  return names.some(({ expression, isSecret }) => expression.test(name) && isSecret(value, isProse));
}

const pin = new RegExp(`^${pinName}$`, 'i');

/** Whether a number in a member of that name is a secret. Other doubtful members count things: `{"pass": 12, "fail": 1}`. */
export function isSecretNumber(name: string, digits: string): boolean {
  return pinNumber.test(digits) && pin.test(name);
}

/** Such a name in a text, at its end. */
export const doubtfulNames =
  /(?<![A-Za-z\d])(?:pass|pw|pin|sid|sess(?:ion)?|jwt|mnemonic)(?![\w-])|(?:(?<![A-Za-z\d])s|(?<=[a-z\d])S)ession[ _.-]?id(?![\w-])/gi;

/** Matches every text in which a separator follows such a name. */
export const doubtfulHint =
  /(?:[Pp][Aa][Ss][Ss]|[Pp][Ww]|[Pp][Ii][Nn]|[Ss][Ii][Dd]|[Ss][Ee][Ss][Ss](?:[Ii][Oo][Nn])?|[Jj][Ww][Tt]|[Mm][Nn][Ee][Mm][Oo][Nn][Ii][Cc]|[Nn][ _.-]?[Ii][Dd])[\\"'\x60\]]{0,5}\s?[=:-]/;
