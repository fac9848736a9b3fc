import { describe, expect, it } from 'vitest';
import { createRedactor } from '../createRedactor.ts';
import { RedactionCounts } from '../redactionCounts.ts';

const redactor = createRedactor();
const redact = (text: string) => redactor.redactString(text, [], new RedactionCounts());
const mark = '[REDACTED:key]';

describe('secrets in lines that configure network devices', () => {
  it.each<[string, string]>([
    ['enable secret 5 $1$mERr$hx5rVt7rPNoS4', `enable secret 5 ${mark}`],
    ['enable secret hunter2', `enable secret ${mark}`],
    ['enable secret level 15 9 $9$abc.def$ghi', `enable secret level 15 9 ${mark}`],
    ['enable password 7 08204E4D0A1C', `enable password 7 ${mark}`],
    ['logged command:enable password hunter2', `logged command:enable password ${mark}`],
    ['username jane password 7 0822455D0A16', `username jane password 7 ${mark}`],
    ['username jane privilege 15 secret 5 $1$a$bc', `username jane privilege 15 secret 5 ${mark}`],
    ['username jane secret hunter2\nusername x', `username jane secret ${mark}\nusername x`],
    [' password 7 0822455D0A16', ` password 7 ${mark}`],
    ['line vty 0 4\n password hunter\n login', `line vty 0 4\n password ${mark}\n login`],
    [' neighbor peers password hunter', ` neighbor peers password ${mark}`],
    ['ppp chap password 0 hunter', `ppp chap password 0 ${mark}`],
    ['snmp-server community hunter RO', `snmp-server community ${mark} RO`],
    ['snmp-server host core version 2c hunter', `snmp-server host core version 2c ${mark}`],
    [
      'snmp-server user jane grp v3 auth sha hunter priv aes 128 hunted',
      `snmp-server user jane grp v3 auth sha ${mark} priv aes 128 ${mark}`,
    ],
    ['set snmp community hunter authorization read-only', `set snmp community ${mark} authorization read-only`],
    ['crypto isakmp key hunter address core', `crypto isakmp key ${mark} address core`],
    ['radius-server key hunter', `radius-server key ${mark}`],
    ['tacacs-server key 7 0822455D0A16', `tacacs-server key 7 ${mark}`],
    ['ip ospf message-digest-key 1 md5 hunter', `ip ospf message-digest-key 1 md5 ${mark}`],
    ['ntp authentication-key 1 md5 hunter', `ntp authentication-key 1 md5 ${mark}`],
    ['wpa-psk ascii 0 hunter', `wpa-psk ascii 0 ${mark}`],
    ['pre-shared-key ascii-text "hunter"', `pre-shared-key ascii-text "${mark}"`],
    ['set passwd ENC hunter', `set passwd ENC ${mark}`],
    ['{"cmd":"snmp-server community hunter RO"}', `{"cmd":"snmp-server community ${mark} RO"}`],
    ['ran {"cmd":"enable secret hunter2"} twice', `ran {"cmd":"enable secret ${mark}"} twice`],
  ])('%j', (text, expected) => {
    expect(redact(text)).toBe(expected);
    expect(redact(expected)).toBe(expected);
  });

  it.each([
    'enable password reset',
    'enable secret scanning for repositories',
    'could not enable password authentication',
    'username and password are required',
    'username jane password expired',
    'password 7 days old',
    'secret 5 of 12 rotated',
    'key 7 10 of 20',
    'the community edition',
    'snmp-server host down',
    'snmp-server enable traps',
    'radius-server timeout 5',
    'a pre-shared-key is missing',
    'community hunter2',
    'enable secret $SECRET',
  ])('stays: %j', (text) => {
    expect(redact(text)).toBe(text);
  });
});
