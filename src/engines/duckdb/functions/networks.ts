import type { networkFunctions } from '../../../googlesql/functions/networks.ts';
import { quoteText } from '../sqlText.ts';
import type { EmitContext, ScalarEmitters } from './emitContext.ts';
import { argument, bind, bindInLambda, failure } from './sqlFragments.ts';

/** White space around a URL that does not belong to it, according to the reference evaluator. */
const whiteSpace = quoteText(' \t\n\v\f\r');

/**
 * The host of a URL without surrounding white space: without scheme, user and port; brackets stay (GoogleSQL reference,
 * NET.HOST).
 */
const host = (url: string): string => {
  const slashed = `regexp_extract(${url}, '^(?:[A-Za-z][A-Za-z0-9+.-]*:)?//([^/?#\\\\]*)', 1)`;
  const plain = `regexp_extract(${url}, '^([^/?#\\\\]*)', 1)`;
  const chosen = `CASE WHEN regexp_matches(${url}, '^(?:[A-Za-z][A-Za-z0-9+.-]*:)?//') THEN ${slashed} ELSE ${plain} END`;
  return `nullif(regexp_extract(regexp_replace(${chosen}, '^.*@', ''), '^((?:\\[[^\\]]*\\])?[^:]*)', 1), '')`;
};

const octet = '(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';
const ipv4 = `${octet}(?:\\.${octet}){3}`;

const isIpv4 = (text: string): string => `regexp_full_match(${text}, '${ipv4}')`;
const ipv4Hex = (text: string): string =>
  `array_to_string(list_transform(string_split(${text}, '.'), lambda o: printf('%02x', CAST(o AS INTEGER))), '')`;

/** NULL if it is not an address. A trailing IPv4 form counts as two groups; `::` fills up to eight. */
function ipv6Hex(text: string): string {
  const tail = `regexp_extract(${text}, ':(${ipv4})$', 1)`;
  const tailHex = ipv4Hex(`nullif(${tail}, '')`);
  const uniform = `CASE WHEN ${tail} = '' THEN ${text} ELSE left(${text}, length(${text}) - length(${tail})) || left(${tailHex}, 4) || ':' || right(${tailHex}, 4) END`;
  const groups = (side: string): string =>
    `CASE WHEN coalesce(${side}, '') = '' THEN [] ELSE string_split(${side}, ':') END`;
  return `list_transform([string_split(lower(${uniform}), '::')], lambda p: list_transform([struct_pack(l := ${groups('p[1]')}, r := ${groups('p[2]')}, n := len(p))], lambda s: CASE WHEN ((s.n = 1 AND len(s.l) = 8) OR (s.n = 2 AND len(s.l) + len(s.r) < 8)) AND len(list_filter(list_concat(s.l, s.r), lambda g: NOT regexp_full_match(g, '[0-9a-f]{1,4}'))) = 0 THEN array_to_string(list_transform(list_concat(list_concat(s.l, list_transform(range(0, 8 - len(s.l) - len(s.r)), lambda i: '0')), s.r), lambda g: lpad(g, 4, '0')), '') END)[1])[1]`;
}

const bytes = (text: string): string =>
  `unhex(CASE WHEN ${isIpv4(text)} THEN ${ipv4Hex(text)} WHEN contains(${text}, ':') THEN ${ipv6Hex(text)} END)`;

/** Four bytes of an address, at a position in its hexadecimal digits, as numbers between dots. */
const dotted = (hex: string, from: number): string =>
  [0, 2, 4, 6]
    .map((at) => `CAST(CAST('0x' || substr(${hex}, ${from + at}, 2) AS INTEGER) AS VARCHAR)`)
    .join(" || '.' || ");

/** The longest run of two or more zero groups, the first if several are equal, is omitted (RFC 5952). */
function ipv6Text(hex: string): string {
  const groups = `list_transform(regexp_extract_all(lower(${hex}), '....'), lambda g: regexp_replace(g, '^0{1,3}', ''))`;
  const runs = [8, 7, 6, 5, 4, 3, 2].map((n) => `(^|:)0(:0){${n - 1}}(:|$)`);
  const shortened = runs.map((run) => `WHEN regexp_matches(t, '${run}') THEN regexp_replace(t, '${run}', '::')`);
  return `list_transform([array_to_string(${groups}, ':')], lambda t: CASE ${shortened.join(' ')} ELSE t END)[1]`;
}

/** IPv4 addresses inside IPv6 are written as such, like the reference evaluator does. */
const addressText = (hex: string): string =>
  `CASE WHEN length(${hex}) = 8 THEN ${dotted(hex, 1)} WHEN regexp_matches(${hex}, '^0{20}FFFF') THEN '::ffff:' || ${dotted(hex, 25)} WHEN regexp_matches(${hex}, '^0{24}') AND substr(${hex}, 25, 4) <> '0000' THEN '::' || ${dotted(hex, 25)} ELSE ${ipv6Text(hex)} END`;

/** Clears the bits after the prefix in the digit where it ends. */
function truncatedAddress(hex: string, prefix: string): string {
  const digit = `CAST('0x' || substr(${hex}, CAST(${prefix} // 4 AS INTEGER) + 1, 1) AS INTEGER)`;
  const kept = `CASE WHEN ${prefix} % 4 = 0 THEN '' ELSE substr('0123456789ABCDEF', (${digit} & (16 - (1 << CAST(4 - ${prefix} % 4 AS INTEGER)))) + 1, 1) END`;
  return `unhex(rpad(left(${hex}, CAST(${prefix} // 4 AS INTEGER)) || ${kept}, CAST(length(${hex}) AS INTEGER), '0'))`;
}

const noAddress = (context: EmitContext): string =>
  failure(context, 'An IP address must have 4 bytes (IPv4) or 16 (IPv6). NET.IP_FROM_STRING makes them from text.');

export const networkEmitters: ScalarEmitters<typeof networkFunctions> = {
  'net.host': ([url = '']) => bind([`trim(${url}, ${whiteSpace})`], (trimmed = '') => host(trimmed)),
  'net.ip_from_string': (args, context) =>
    bind(
      args,
      (text = '') =>
        `CASE WHEN ${text} IS NULL THEN NULL ELSE coalesce(${bytes(text)}, ${failure(context, 'The text is not an IP address. NET.SAFE_IP_FROM_STRING gives NULL instead.')}) END`,
    ),
  'net.ip_to_string': (args, context) =>
    bindInLambda([`hex(${argument(args, 0)})`], (hex = '') => {
      return `CASE WHEN ${hex} IS NULL THEN NULL WHEN length(${hex}) NOT IN (8, 32) THEN ${noAddress(context)} ELSE ${addressText(hex)} END`;
    }),
  'net.ip_trunc': (args, context) =>
    bindInLambda([`hex(${argument(args, 0)})`, argument(args, 1)], (hex = '', prefix = '') => {
      const wrong = failure(
        context,
        'The prefix of NET.IP_TRUNC must be from 0 to the number of bits of the address, 32 or 128.',
      );
      return `CASE WHEN ${hex} IS NULL OR ${prefix} IS NULL THEN NULL WHEN length(${hex}) NOT IN (8, 32) THEN ${noAddress(context)} WHEN ${prefix} NOT BETWEEN 0 AND length(${hex}) * 4 THEN ${wrong} ELSE ${truncatedAddress(hex, prefix)} END`;
    }),
  'net.safe_ip_from_string': (args) => bind([argument(args, 0)], (text = '') => bytes(text)),
};
