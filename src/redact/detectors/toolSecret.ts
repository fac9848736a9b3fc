import type { Detector } from '../detector.ts';
import type { TextView } from '../textView.ts';
import { endWithin, isHarmless } from './secretValues.ts';

/**
 * Secrets after short options of programs (`sshpass -p …`, `mysql -p…`), and in lines of protocols (`AUTH …` of Redis,
 * `PASS …` of FTP). Nothing in these texts names the secret, so each program and protocol has an expression of its own.
 */
export const toolSecret: Detector = {
  name: 'tool_secret',
  kind: 'key',
  // Nearly all options of the programs look alike, and each alternative costs time in every text.
  hint: /\s-[A-Za-z]|AUTH|PASS\s|LOGIN\s|vault\s(?:login|operator|unseal)|net\suser?\s|_user\s|\/r?p[: ]|passw|requirepass|masterauth|SecureString|wpa_pass|sql(?:plus|ldr)|[dp]p\s|rman\s|:oracle:|:15\d\d/,
  find(view, report) {
    for (const { word, expressions } of tools) {
      if (!view.text.includes(word)) continue;
      for (const expression of expressions) {
        for (const { 1: value = '', indices } of view.text.matchAll(expression)) {
          const [from = 0] = indices?.[1] ?? [];
          const end = endOf(view, from, from + value.length);
          if (end > from && isSecret(view.text.slice(from, end))) report(from, end);
        }
      }
    }
  },
  canonical: (core) => core,
};

/** A value never reaches beyond the string around it, so that JSON stays JSON. */
function endOf(view: TextView, from: number, to: number): number {
  return endWithin(view, from, (_, at) => at >= to);
}

function isSecret(value: string): boolean {
  return /[\p{L}\p{N}]/u.test(value) && !variable.test(value) && !isHarmless(value, true);
}

const variable = /^(?:\$|%\w+%|<[\w -]*>|\{\{|["'])/;

interface Tool {
  /** The expressions run only if the text contains it. */
  readonly word: string;
  /** The first group is the secret. */
  readonly expressions: readonly RegExp[];
}

const value = String.raw`([^\s"'\x60\\\ue000]+)`;
const quote = String.raw`\\{0,3}["'\x60]?`;
const gap = String.raw`[ \t]{1,8}${quote}`;
const maybeGap = String.raw`[ \t]{0,8}${quote}`;

/** An option after the name of a program, and perhaps after other arguments. */
const option = (programs: string, options: string, between: string, rest = value): RegExp =>
  new RegExp(
    String.raw`(?<=(?<![\w-])(?:${programs})(?:\.exe)?\s(?:[^\r\n|;&]{0,256}\s)?)(?:${options})${between}${rest}`,
    'dg',
  );

const rest = String.raw`[^\r\n|;&]{0,128}`;
const mechanisms =
  'PLAIN|LOGIN|CRAM-MD5|DIGEST-MD5|NTLM|GSSAPI|GSS-SPNEGO|EXTERNAL|XOAUTH2?|OAUTHBEARER|SCRAM-[A-Z0-9-]+';
const lineEnd = String.raw`(?=[ \t]{0,8}(?:[\r\n]|$))`;

const tools: readonly Tool[] = [
  { word: 'sshpass', expressions: [option('sshpass', '-p', maybeGap)] },
  {
    word: 'mysql',
    expressions: [
      option('mysql(?:dump|admin|import|binlog|check|show|slap|sh|pump)?', '-p(?!ort)', quote),
      option('mysqladmin', '(?:new-)?password', gap),
    ],
  },
  { word: 'mariadb', expressions: [option(String.raw`mariadb(?:-\w+)?`, '-p(?!ort)', quote)] },
  { word: '-cli', expressions: [option('(?:redis|valkey)-cli', '-a|--pass', String.raw`(?:=|[ \t]{1,8})${quote}`)] },
  {
    word: 'login',
    expressions: [
      option(String.raw`(?:docker|podman|nerdctl|buildah|skopeo|helm|oras|crane|az)\s(?:${rest}\s)?login`, '-p', gap),
      option(String.raw`vault\slogin`, '(?=[^-\\s=]+(?:\\s|$))', ''),
    ],
  },
  { word: 'mongo', expressions: [option('mongo(?:sh|dump|restore|export|import|stat|top|files)?', '-p', gap)] },
  {
    word: 'ldap',
    expressions: [
      option('ldap(?:search|modify|add|delete|passwd|whoami|compare|modrdn)', '-w', maybeGap),
      option('ldappasswd', '-[as]', gap),
    ],
  },
  { word: 'zip', expressions: [option('(?:un)?zip|zipcloak', '-P', maybeGap)] },
  { word: '7z', expressions: [option('7z[az]?|7zz', '-p', quote)] },
  { word: 'rar', expressions: [option('(?:un)?rar', '-h?p', quote)] },
  { word: 'mosquitto_', expressions: [option('mosquitto_(?:pub|sub|rr)', '-P', gap)] },
  { word: 'openssl', expressions: [option('openssl', '-k|-K', gap)] },
  {
    word: '%',
    expressions: [
      option('smb(?:client|get|map|cquotas)|rpcclient|winexe|wmic', String.raw`-U${maybeGap}[^\s%"']{1,128}%`, ''),
    ],
  },
  { word: 'rdp', expressions: [option('[xw]?freerdp', '/p:', quote)] },
  { word: 'rdesktop', expressions: [option('rdesktop', '-p', gap)] },
  {
    word: 'htpasswd',
    // The last argument
    expressions: [
      /(?<![\w-])htpasswd\s(?:[^\r\n|;&]{0,64}?\s)?-\w{0,6}b\w{0,6}\s[^\r\n|;&>]{1,160}\s["']?([^\s"'|;&>\\\ue000]+)(?=\\{0,3}["'\x60]?\s{0,8}(?:$|[|;&>\r\n"'\x60\]}\\]))/dg,
    ],
  },
  {
    word: '\\\\',
    // Beside the share, or behind the user
    expressions: [
      /\bnet\s{1,4}use\s(?:[^\r\n|;&\\]{0,16}\s)?\\\\[^\s|;&]{1,128}\s{1,4}["']?([^\s"'/*\ue000][^\s"'\ue000]*)(?=["']?\s[^\r\n|;&]{0,128}?\/user:)/dgi,
      /\bnet\s{1,4}use\s[^\r\n|;&]{0,160}?\/user:[^\s|;&]{1,128}\s{1,4}["']?([^\s"'/*\ue000][^\s"'\ue000]*)/dgi,
    ],
  },
  { word: 'psexec', expressions: [option('psexec(?:64)?', '-p', gap)] },
  { word: 'ipmitool', expressions: [option('ipmitool', '-P', gap)] },
  { word: 'racadm', expressions: [option('racadm', '-p', gap)] },
  { word: 'cqlsh', expressions: [option('cqlsh', '-p', gap)] },
  { word: 'useradd', expressions: [option('useradd', '-p', gap)] },
  { word: 'usermod', expressions: [option('usermod', '-p', gap)] },
  { word: 'kadmin', expressions: [option('kadmin', '-w', gap)] },
  {
    word: 'security ',
    expressions: [
      option(String.raw`security\s(?:add|find)-(?:generic|internet)-password`, '-w', gap),
      option(String.raw`security\s(?:unlock|create|set)-keychain(?:-\w+)*`, '-p', gap),
    ],
  },
  { word: '/rp ', expressions: [option('schtasks', '/rp', gap)] },
  { word: '/p ', expressions: [option('signtool', '/p', gap)] },
  { word: 'certutil', expressions: [option('certutil', '-p', gap)] },
  { word: 'unseal', expressions: [option(String.raw`vault\s(?:operator\s)?unseal`, '(?=[^-\\s=]+(?:\\s|$))', '')] },
  { word: 'user', expressions: [/(?<=\bnet\s{1,4}user\s{1,4}[^\s/]{1,64}\s{1,4})([^\s/*][^\s]*)(?=\s{1,4}\/\w)/dg] },
  {
    word: ' -a ',
    expressions: [option('https?|xh', '-a', String.raw`[ \t]{1,8}${quote}[^\s:"']{1,64}:`)],
  },
  { word: 'sqlcmd', expressions: [option('sqlcmd', '-P', maybeGap)] },
  { word: 'bcp', expressions: [option('bcp', '-P', maybeGap)] },
  {
    word: '/',
    expressions: [
      /(?<=(?<![\w-])(?:sqlplus|sqlldr|expdp|impdp|rman)\s(?:-\S{1,16}\s){0,4}["']?[\w$#.-]{1,64}\/)([^\s@/"'\\\ue000]+)(?=["'\s@]|$)/dg,
      // Of Oracle's clients, whose listener has such a port
      /(?<=(?<![\w./-])[\w$#]{1,30}\/)([^\s@/"'\\\ue000]{1,64})(?=@[\w.-]{1,128}:15\d\d(?:[/:]|\b))/dg,
      /(?<=jdbc:oracle:(?:thin|oci8?):[^\s/@:"']{1,64}\/)([^\s@"'\\\ue000]{1,128})(?=@)/dg,
    ],
  },
  { word: '-pw', expressions: [option('plink|pscp|psftp|putty', '-pw', gap)] },
  { word: 'lftp', expressions: [option('lftp', String.raw`-u${maybeGap}[^\s,"']{1,64},`, '')] },
  {
    word: 'rabbitmqctl',
    expressions: [
      option(
        'rabbitmqctl',
        String.raw`(?:add_user|change_password|authenticate_user)\s{1,4}${quote}[^\s"']{1,64}${quote}`,
        gap,
      ),
    ],
  },
  {
    word: 'snmp',
    expressions: [option('snmp(?:walk|get|getnext|set|bulkwalk|bulkget|trap|inform|table|status|df)', '-[cAX]', gap)],
  },
  {
    word: 'SecureString',
    expressions: [/(?<=ConvertTo-SecureString\s(?:-String\s)?)["']([^"'\ue000]+)/dg],
  },
  {
    word: 'echo',
    expressions: [
      /(?<=\becho\s(?:-\w{1,4}\s)?)["']?[^\s:"']{1,64}:([^\s"'|\ue000]+)(?=["']?\s{0,4}\|\s{0,4}(?:sudo\s)?chpasswd)/dg,
      /(?<=\becho\s(?:-\w{1,4}\s)?)["']?([^\s"'|\ue000]+)(?=["']?\s{0,4}\|\s{0,4}(?:sudo\s-S|[^\r\n|]{0,128}passwd\s--stdin|[^\r\n|]{1,128}--password-stdin))/dg,
    ],
  },
  { word: 'nmcli', expressions: [option('nmcli', 'password', gap)] },
  { word: 'wpa_passphrase', expressions: [option('wpa_passphrase', String.raw`[^\s-]\S{0,64}`, gap)] },
  {
    // Redis: MONITOR, redis-cli, the protocol; mechanisms of SMTP and IMAP
    word: 'AUTH',
    expressions: [
      /"AUTH"(?: "[^"\r\n]{1,128}")? "([^"\r\n\ue000]+)"(?! ")/dg,
      new RegExp(String.raw`(?<=[\w)\]]> ?)AUTH[ \t]+(?:[^\s"']{1,128}[ \t]+)?${value}${lineEnd}`, 'dg'),
      new RegExp(String.raw`(?<=^|[\r\n"'\x60])AUTH[ \t]+default[ \t]+${value}`, 'dg'),
      // A word alone may be a state: AUTH failed
      new RegExp(
        String.raw`(?<=^|[\r\n])AUTH[ \t]+((?=[^\s\d]{0,128}\d)(?=\S{0,128}[A-Za-z])[^\s"'\x60:=/\\\ue000]{6,})${lineEnd}`,
        'dg',
      ),
      new RegExp(String.raw`\bHELLO [23] AUTH[ \t]+[^\s"']{1,128}[ \t]+${value}`, 'dg'),
      new RegExp(String.raw`(?<=\bMIGRATE\s[^\r\n]{0,256}\s)AUTH[ \t]+${value}`, 'dg'),
      new RegExp(String.raw`(?<=\bMIGRATE\s[^\r\n]{0,256}\s)AUTH2[ \t]+[^\s"']{1,128}[ \t]+${value}`, 'dg'),
      /AUTH\r?\n(?:\$\d{1,4}\r?\n[^\r\n]{1,128}\r?\n(?=\$))?\$\d{1,4}\r?\n([^\r\n\ue000]+)/dg,
      new RegExp(String.raw`\bAUTH(?:ENTICATE)?[ \t]+(?:${mechanisms})[ \t]+([A-Za-z0-9+/]{8,}={0,2})${lineEnd}`, 'dg'),
    ],
  },
  {
    word: 'requirepass',
    expressions: [/(?<![\w-])requirepass["']?[ \t]{1,8}["']?([^\s"'\\\ue000]+)/dg],
  },
  { word: 'masterauth', expressions: [/(?<![\w-])masterauth["']?[ \t]{1,8}["']?([^\s"'\\\ue000]+)/dg] },
  {
    // FTP, POP3: after the name of the user, or after a prompt
    word: 'PASS',
    expressions: [
      /(?<=\bUSER [^\r\n]{1,128}\r?\n(?:[^\r\n]{0,32}[>:] ?)?(?:(?:\d{3}|\+OK)[^\r\n]{0,128}\r?\n(?:[^\r\n]{0,32}[>:] ?)?)?)PASS[ \t]+([^\s\ue000]+)/dg,
      /(?<=(?:ftp>|\b[Cc](?:lient)?:|-{2,3}>|>>>|<<<)[ \t]?)PASS[ \t]+([^\s\ue000]+)/dg,
    ],
  },
  {
    // IMAP
    word: 'LOGIN',
    expressions: [
      /(?<=(?:^|[\r\n>:] ?)(?:[A-Za-z]{0,8}\d{1,8}|\.) LOGIN (?:"[^"\r\n]{1,128}"|[^\s"]{1,128}) )"?([^\s"\ue000]+)/dg,
    ],
  },
];
