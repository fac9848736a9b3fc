import fc from 'fast-check';

/** A text that holds an address in one of the forms that the contract lists (section 6), with what stands around it. */
export interface Embedded {
  readonly before: string;
  /** The address with what belongs to it, as it stands in the text. */
  readonly written: string;
  readonly after: string;
}

const octet = fc.integer({ min: 0, max: 255 });
const octets = fc.tuple(octet, octet, octet, octet);
const portNumber = fc.integer({ min: 1, max: 65_535 });

/** IPv4 as its forms write it; a NUL ends a label that stays. */
const ipv4Written = fc.tuple(octets, portNumber, fc.integer({ min: 0, max: 32 })).chain(([address, port, prefix]) => {
  const plain = address.join('.');
  return fc.constantFrom(
    plain,
    `${plain}:${port}`,
    `${plain}.${port}`,
    `${plain}/${prefix}`,
    `[${plain}]:${port}`,
    `ip=\0${plain}`,
    `ip-\0${address.join('-')}`,
    `${[...address].reverse().join('.')}.in-addr.arpa`,
    plain.replaceAll('.', '%2E'),
    plain.replaceAll('.', '\\u002e'),
  );
});

const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0xdead, 0xbeef, 1, 0xfe));
const prefixes = fc.constantFrom([0x2001, 0xdb8], [0xfe80, 0], [0xfd12, 0x3456], [0x64, 0xff9b], [0, 0]);

const ipv6Groups = fc
  .tuple(prefixes, fc.array(group, { minLength: 6, maxLength: 6 }))
  .map(([prefix, rest]) => [...prefix, ...rest])
  // An address of nothing but zeros, or of few letters, is not taken for one.
  .filter((groups) => groups.filter((value) => value !== 0).length >= 3);

/** The spellings of RFC 4291, section 2.2: with leading zeros, without, a run of zeros left out, an IPv4 end. */
const ipv6Text = fc
  .tuple(ipv6Groups, fc.boolean(), fc.boolean(), fc.boolean(), fc.nat({ max: 7 }))
  .map(([groups, isPadded, isUpper, hasQuad, gapAt]) => {
    const texts = groups.map((value) => value.toString(16).padStart(isPadded ? 4 : 1, '0'));
    if (hasQuad) {
      const [high = 0, low = 0] = groups.slice(6);
      texts.splice(6, 2, [high >> 8, high & 255, low >> 8, low & 255].join('.'));
    }
    const text = compressed(texts, groups, gapAt);
    return isUpper ? text.toUpperCase() : text;
  });

/** With `::` in place of the zeros around `gapAt`, if there are any. */
function compressed(texts: readonly string[], groups: readonly number[], gapAt: number): string {
  const isZero = (index: number): boolean => groups[index] === 0 && /^0+$/.test(texts[index] ?? '');
  if (!isZero(gapAt)) return texts.join(':');
  let from = gapAt;
  let to = gapAt + 1;
  while (from > 0 && isZero(from - 1)) from--;
  while (to < texts.length && isZero(to)) to++;
  return `${texts.slice(0, from).join(':')}::${texts.slice(to).join(':')}`;
}

const zone = fc.constantFrom('eth0', 'en1', '12', 'br-5a', 'wlan0');

const ipv6Written = fc
  .tuple(ipv6Text, portNumber, fc.integer({ min: 0, max: 128 }), zone, ipv6Groups)
  .chain(([plain, port, prefix, zoneId, groups]) => {
    const nibbles = groups.map((value) => value.toString(16).padStart(4, '0')).join('');
    return fc.constantFrom(
      plain,
      `[${plain}]:${port}`,
      `[${plain}]`,
      `${plain}/${prefix}`,
      `${plain}%${zoneId}`,
      `[${plain}%25${zoneId}]:${port}`,
      `ip=\0${plain}`,
      `${plain}.${port}`,
      `::ffff:${groups
        .slice(0, 4)
        .map((value) => value & 255)
        .join('.')}`,
      plain.replaceAll(':', '%3A'),
      plain.replaceAll(':', '%253a'),
      plain.replaceAll(':', '\\u003a'),
      `${[...nibbles].reverse().join('.')}.ip6.arpa`,
    );
  });

/** What logs hold around addresses, letters that touch them among it. */
const surrounding = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ' ',
        ' ',
        ', ',
        '; ',
        '=',
        '(',
        ')',
        '"',
        "'",
        '<',
        '>',
        '|',
        '/',
        '\n',
        '\t',
        '\\n',
        '\\"',
        '\\\\n',
      ),
      fc.constantFrom(
        'client',
        'from',
        'GET',
        'x',
        'peer ',
        'é',
        '用户',
        'https://',
        'a b',
        ' - - ',
        '[',
        ']',
        '{',
        '}',
        '*',
        '#',
        '&',
        '%20',
        '%22',
      ),
      fc.constantFrom(
        '2026-05-01T10:00:30Z ',
        '7a1c9e30-4d5b-42f6-8c77-b2e9f0a6d318 ',
        '00:1b:44:11:3a:b7 ',
        '::',
        ' 16:9 ',
        'q::text ',
      ),
    ),
    { maxLength: 5 },
  )
  .map((parts) => parts.join(''));

const embedded = (form: fc.Arbitrary<string>): fc.Arbitrary<Embedded> =>
  fc.tuple(surrounding, form, surrounding).map(([before, text, after]) => {
    const [label = '', written] = text.includes('\0') ? text.split('\0') : ['', text];
    return { before: before + label, written: written ?? '', after };
  });

/**
 * IPv4 in random text. Left out is what makes four numbers a version or product (contract, section 6),
 * and digits or a dot that touch, which make other numbers of them.
 */
export const embeddedIpv4 = embedded(ipv4Written).filter(
  ({ before, after }) => !/(?:[\s("']|\\n|%2[02]|^)[A-Za-z][\w+-]*\/$/.test(before) && !/^[\d.]/.test(after),
);

/** IPv6 in random text. Left out are colons that touch, of which a `::` makes another address or none. */
export const embeddedIpv6 = embedded(ipv6Written).filter(
  ({ before, after }) => !before.endsWith(':') && !/^[:\d]/.test(after),
);
