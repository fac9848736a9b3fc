import type { networkFunctions } from '../../../googlesql/functions/networks.ts';
import { quoteText } from '../sqlText.ts';
import type { ScalarEmitters } from './emitContext.ts';
import { argument, bind, failure } from './sqlText.ts';

/** What stands around a URL and is none of it, as the reference evaluator has it. */
const whiteSpace = quoteText(' \t\n\v\f\r');

/** Without scheme, user and port, of a URL without white space around it; brackets stay (GoogleSQL reference, NET.HOST). */
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

/** NULL for what is no address. A trailing IPv4 form counts as two groups; `::` fills up to eight. */
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

export const networkEmitters: ScalarEmitters<typeof networkFunctions> = {
  'net.host': ([url = '']) => bind([`trim(${url}, ${whiteSpace})`], (trimmed = '') => host(trimmed)),
  'net.ip_from_string': (args, context) =>
    bind(
      args,
      (text = '') =>
        `CASE WHEN ${text} IS NULL THEN NULL ELSE coalesce(${bytes(text)}, ${failure(context, 'The text is not an IP address. NET.SAFE_IP_FROM_STRING gives NULL instead.')}) END`,
    ),
  'net.safe_ip_from_string': (args) => bind([argument(args, 0)], (text = '') => bytes(text)),
};
