import type { Detector } from '../detector.ts';
import { isWholeName, secretHint, secretWords } from './secretNames.ts';

/** Values after a name without a separator such as `=`, by syntax. */
const forms: readonly RegExp[] = [
  // <password>…</password>
  new RegExp(
    String.raw`<(?:[\w.-]{1,40}:)?[\w.-]{0,40}?(${secretWords})(?:\s[^<>]{0,200})?>\s{0,64}(?:<!\[CDATA\[)?([^<>\]\ue000\s][^<>\]\ue000]*)(?=(?:\]\]>)?</)`,
    'dgi',
  ),
  // --password …
  new RegExp(String.raw`(?<![\w-])--[\w-]{0,40}?(${secretWords})[ \t]{1,8}["'\x60]?((?!-)[^\s"'\x60\\\ue000]+)`, 'dgi'),
  // ALTER USER … PASSWORD '…'
  /(password|passphrase|identified[ \t]{1,8}(?:by|with[ \t]{1,8}\w{1,40}[ \t]{1,8}(?:by|as)))\s{1,8}E?\\?'((?:[^'\\\ue000]|\\+[^'\\\ue000]|\\+'(?!\s|;|$)|'')+)/dgi,
  // curl -u user:password, curl -b 'sid=…'
  /(?<=\bcurl\b[^\r\n]{0,512}\s)(-u|-U|--user|--proxy-user)(?:=|[ \t]{0,8})["'\x60]?([^\s:"'\x60\\\ue000-][^\s:"'\x60\\\ue000]{0,127}:[^\s"'\x60\\\ue000]+)/dg,
  /(?<=\bcurl\b[^\r\n]{0,512}\s)(-b|--cookie)(?:=|[ \t]{0,8})(?=["'\x60])[^\s]([^\s=;"'\x60\ue000]{1,128}=[^"'\x60\r\n\ue000]+)/dg,
  /(?<=\bcurl\b[^\r\n]{0,512}\s)(-b|--cookie)(?:=|[ \t]{0,8})([^\s=;"'\x60\ue000-][^\s=;"'\x60\ue000]{0,127}=[^\s"'\x60\ue000]+)/dg,
  // PEM
  /-----BEGIN ([A-Z ]{0,40}PRIVATE KEY)-----\s*([^\s\ue000-][^\ue000-]*)/dg,
];

/**
 * Secrets in XML elements, command-line options (including curl's short ones), SQL statements that set a password, and
 * private keys in PEM.
 */
export const writtenSecret: Detector = {
  name: 'written_secret',
  kind: 'key',
  hint: new RegExp(String.raw`${secretHint.source}|[Ii][Dd][Ee][Nn][Tt][Ii][Ff][Ii][Ee][Dd]\s|PRIVATE KEY-----|curl\s`),
  find({ text }, report) {
    for (const form of forms) {
      for (const { 1: name = '', 2: value = '', indices } of text.matchAll(form)) {
        const [nameAt = 0] = indices?.[1] ?? [];
        const [from = 0] = indices?.[2] ?? [];
        if (!isWholeName(text, nameAt, name)) continue;
        const to = from + value.trimEnd().length;
        if (/[\p{L}\p{N}]/u.test(value) && !placeholder.test(value)) report(from, to);
      }
    }
  },
  canonical: (core) => core,
};

const placeholder =
  /^(?:\$\d+|%s|\$\{[\w.: -]*\}|\$\w+|\*+|x{3,}|null|none|true|false|yes|no|redacted|filtered|hidden|masked|and|or|is|to|for|in|the|flag|option|argument|was|must|required)\s*$/i;
