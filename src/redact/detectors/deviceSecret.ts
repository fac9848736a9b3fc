import type { Value } from './secretValues.ts';

/** Matches such lines without the name of a secret. Others are not found, because each alternative costs time in every text. */
export const deviceHint = 'snmp[ -]';

/**
 * Secrets in lines that configure network devices, as Cisco, Juniper, Fortinet and net-snmp write them: `enable secret 5 …`,
 * `username x password 7 …`, `snmp-server community …`. Some end with a word that could be prose (`enable password reset`):
 * those count only with the number of a cipher before the value, or if the value has a digit and ends the line.
 */
export function* deviceSecretsIn(text: string): Generator<Value> {
  if (!someLine.test(text)) return;
  for (const expression of lines) {
    for (const { 1: value = '', indices } of text.matchAll(expression)) {
      const [from = 0] = indices?.[1] ?? [];
      yield { from, to: from + value.length };
    }
  }
}

/** Matches every text that one of the lines matches, many times faster than these. */
const someLine =
  /(?:word|swd|cret|key|ing|md5|cii)[ \t]+(?:\d{1,2}|ENC)[ \t]|enable[ \t]|username[ \t]|line[ \t]|neighbor[ \t]|ppp[ \t]|snmp|-server[ \t]|isakmp|digest-key|ation-key|shared-key|wpa-psk/;

const quote = String.raw`\\{0,3}["']?`;
/** The number of a cipher, or that the value is encrypted. */
const cipher = String.raw`(?:\d{1,2}|ENC)[ \t]+`;
const maybeCipher = `(?:${cipher})?`;
/** The value may be a mark already, and a number before it is none. */
const value = String.raw`(?!(?:\d{1,3}|ENC|md5)[ \t])${quote}([^\s"'\\\ue000]+)`;
const lineEnd = String.raw`(?=\\{0,3}["'](?:[\s,}\]]|$)|[ \t]{0,8}(?:[\r\n]|\\[rn]|$))`;
/** A value that is no word of a sentence. */
const lastMixed = String.raw`${quote}((?=[^\s\d]{0,128}\d)(?=\S{0,128}[A-Za-z])[^\s"'\\\ue000]{6,}|\$\d{1,2}\$[^\s"'\\\ue000]+)${lineEnd}`;

const line = (before: string, after: string): RegExp => new RegExp(String.raw`(?<![\w-])${before}[ \t]+${after}`, 'dg');

const names = 'password|passwd|secret|key|key-string|md5|psksecret|ascii|authentication-key';

const lines: readonly RegExp[] = [
  // Any value in the cipher of Cisco, which anyone can read, and hashes: `password 7 0822455D0A16`, `secret 5 $1$…`
  line(
    `(?:${names})`,
    String.raw`${cipher}((?<=7[ \t]{1,4})[01]\d(?:[\dA-Fa-f]{2}){3,}(?!\w)|\$\d{1,2}\$[^\s"'\\\ue000]+)`,
  ),
  line('set[ \t]+(?:passwd|password|psksecret|secret|passphrase)', String.raw`ENC[ \t]+${value}`),
  line(
    String.raw`(?:enable(?:[ \t]+algorithm-type[ \t]+\w{1,16})?|username[ \t]+[^\s=:]{1,64}(?:[ \t]+(?:privilege|role|algorithm-type)[ \t]+\S{1,32}){0,3})[ \t]+(?:password|secret)(?:[ \t]+level[ \t]+\d{1,2})?`,
    maybeCipher + lastMixed,
  ),
  line(String.raw`line[ \t]+(?:vty|con|console|aux)[ \t\d]{1,12}(?:\r?\n|\\n)[ \t]{0,4}password`, maybeCipher + value),
  line(
    String.raw`(?:neighbor[ \t]+\S{1,64}|ppp[ \t]+(?:chap|pap[ \t]+sent-username[ \t]+\S{1,64}))[ \t]+password`,
    maybeCipher + value,
  ),
  // SNMP: communities, and the passwords of users
  line(String.raw`snmp-server[ \t]+community`, maybeCipher + value),
  line(String.raw`set[ \t]+snmp[ \t]+community`, value),
  line(
    String.raw`snmp-server[ \t]+host[ \t]+\S{1,64}(?:[ \t]+(?:traps|informs|trap|inform))?(?:[ \t]+version[ \t]+(?:1|2c|3[ \t]+\w{1,8}))?`,
    String.raw`(?!(?:traps?|informs?|version|vrf|use-vrf)\b)${value}`,
  ),
  line(String.raw`snmp-server[ \t]+user[ \t]+[^\r\n]{1,128}?[ \t]auth[ \t]+(?:md5|sha[\d-]{0,4})`, value),
  line(String.raw`snmp-server[ \t]+user[ \t]+[^\r\n]{1,256}?[ \t]priv[ \t]+(?:3?des|aes(?:[ \t-]+\d{3})?)`, value),
  // Keys of RADIUS, TACACS+, IPsec, routing and wireless networks
  line(String.raw`(?:radius|tacacs)-server(?:[ \t]+host[ \t]+[^\r\n]{1,128}?)?[ \t]+key`, maybeCipher + value),
  line(String.raw`crypto[ \t]+isakmp[ \t]+key`, maybeCipher + value),
  line(String.raw`message-digest-key[ \t]+\d{1,3}[ \t]+md5`, maybeCipher + value),
  line(String.raw`(?:ospf[ \t]+|ntp[ \t]+)authentication-key(?:[ \t]+\d{1,5}[ \t]+md5)?`, maybeCipher + value),
  line(String.raw`pre-shared-key[ \t]+(?:ascii-text|hexadecimal|local|remote)`, maybeCipher + value),
  line(String.raw`wpa-psk[ \t]+(?:ascii|hex)`, maybeCipher + value),
];
