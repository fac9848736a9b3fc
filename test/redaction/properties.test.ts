import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/redact/createRedactor.ts';
import { RedactionCounts } from '../../src/redact/redactionCounts.ts';
import { type Embedded, embeddedIpv4, embeddedIpv6 } from './addressForms.ts';

const redactor = createRedactor();
const markPattern = /\[REDACTED:[a-z_]+\]/g;

function redact(text: string): { readonly text: string; readonly counts: Readonly<Record<string, number>> } {
  const counts = new RedactionCounts();
  return { text: redactor.redactString(text, [], counts), counts: counts.toJson() };
}

/** Marks of each kind that stand in a text. */
function marksOf(text: string): Readonly<Record<string, number>> {
  const counts = new RedactionCounts();
  for (const [mark] of text.matchAll(markPattern)) counts.add(mark.slice('[REDACTED:'.length, -1));
  return counts.toJson();
}

/** What is left of the text must be left of what stood before the address and of what stood after it. */
function expectNothingOf({ before, written, after }: Embedded, redacted: string): void {
  const left = redacted.split(markPattern);
  expect(left.length, `${before}⟦${written}⟧${after} → ${redacted}`).toBeGreaterThan(1);
  let from = 0;
  const around = `${before}\0${after}`;
  for (const [index, part] of left.entries()) {
    const at = index === left.length - 1 ? around.length - part.length : around.indexOf(part, from);
    expect(around.slice(at, at + part.length), `${before}⟦${written}⟧${after} → ${redacted}`).toBe(part);
    expect(at).toBeGreaterThanOrEqual(from);
    from = at + part.length;
  }
  expect(redacted).not.toContain(written);
}

/** Numbers in the ways that people write them. */
const cards = [
  '4111 1111 1111 1111',
  '4111-1111-1111-1111',
  '4111111111111111',
  '3782 822463 10005',
  '5500000000000004',
];
const phones = [
  '+1 415 555 2671',
  '+14155552671',
  '415-555-2671',
  '(415) 555-2671',
  '0044 20 7946 0958',
  '+44 20 7946 0958',
];
const ibans = ['DE89 3704 0044 0532 0130 00', 'GB82WEST12345698765432'];

describe('detectors that an installation adds', () => {
  const all = createRedactor({ detectors: ['phone', 'card', 'iban'] });

  it('leave nothing of numbers that stand beside one another, whatever their order', () => {
    const numbers = fc.constantFrom(...cards, ...phones, ...ibans);
    const between = fc.constantFrom(' ', ', ', ' / ', ' tel ', ';');
    fc.assert(
      fc.property(fc.array(fc.tuple(numbers, between), { minLength: 1, maxLength: 4 }), (parts) => {
        const text = parts.map(([number, after]) => number + after).join('');
        const left = all.redactString(text, [], new RedactionCounts()).replaceAll(markPattern, '');
        expect([text, left.replaceAll(/tel|[ ,/;]/g, '')]).toEqual([text, '']);
      }),
      { numRuns: 2000 },
    );
  });

  it('leave nothing of a telephone number that stands before digits of another number', () => {
    for (const text of [
      '0044 20 7946 0958 4111 1111 1111 1111',
      '+44 20 7946 0958 4111',
      '+1 415 555 2671 0044 20 7946 0958',
    ]) {
      const shown = all.redactString(text, [], new RedactionCounts());
      expect([text, /7946|0958|415|555|2671/.test(shown)]).toEqual([text, false]);
    }
  });

  it('leave nothing of a card number behind the prefix of a telephone number', () => {
    for (const prefix of ['+', '+1 ', '001 ', '+49 ', '00 ']) {
      for (const card of cards.slice(0, 2)) {
        const shown = all.redactString(`${prefix}${card}`, [], new RedactionCounts());
        expect([prefix, card, /1111/.test(shown)]).toEqual([prefix, card, false]);
      }
    }
  });
});

describe('redaction of a text', () => {
  for (const [family, embedded] of [
    ['IPv4', embeddedIpv4],
    ['IPv6', embeddedIpv6],
  ] as const) {
    it(`leaves nothing of an ${family} address, in whatever form and surroundings`, () => {
      fc.assert(
        fc.property(embedded, (parts) => {
          expectNothingOf(parts, redact(parts.before + parts.written + parts.after).text);
        }),
        { numRuns: 3000 },
      );
    });

    it(`leaves nothing of an ${family} address in JSON text, which stays JSON with the same names`, () => {
      fc.assert(
        fc.property(embedded, fc.nat({ max: 3 }), ({ before, written, after }, depth) => {
          let text = JSON.stringify({ level: 'info', n: 1.0, seen: [{ at: before + written + after }] });
          for (let i = 0; i < depth; i++) text = JSON.stringify({ body: text });
          let shown = redact(text).text;
          for (let i = 0; i < depth; i++) {
            const outer = JSON.parse(shown) as { body: string };
            expect(Object.keys(outer)).toEqual(['body']);
            shown = outer.body;
          }
          const inner = JSON.parse(shown) as { level: string; n: number; seen: [{ at: string }] };
          expect(Object.keys(inner)).toEqual(['level', 'n', 'seen']);
          expect(inner.seen[0].at).toBe(redact(before + written + after).text);
        }),
        { numRuns: 1000 },
      );
    });
  }

  const fragments = fc
    .array(
      fc.oneof(
        fc.constantFrom(...':.@/%\\"\'{}[]()=,; \n-_|'),
        fc.constantFrom(
          '::',
          '1',
          '10',
          '255',
          'fe80',
          'ab',
          'g',
          'v',
          'eyJ',
          'Bearer ',
          'Basic ',
          '//',
          'lm_',
          'sk_live_',
          '\\n',
          '\\u0040',
          '%40',
          '%3A',
          "'",
          'password=',
          "'secret': '",
          'Cookie: ',
          'Authorization: ',
          'Token ',
          'token=',
          'pwd',
          '&#64;',
          '=40',
          '\\x40',
          '\\100',
          '"name":"pwd","value":',
          '"value":"',
          '\u200f',
        ),
        fc.constantFrom(
          '10.0.0.5',
          '2001:db8::1',
          'jane@example.com',
          'abcdefghijklmnop7',
          '"email":',
          '"cookie":{',
          '[REDACTED:ip]',
          '[ip:7f3a9c]',
        ),
      ),
      { maxLength: 14 },
    )
    .map((parts) => parts.join(''));

  it('counts its marks, and changes and counts nothing the second time', () => {
    fc.assert(
      fc.property(fragments, (text) => {
        const once = redact(text);
        const before = marksOf(text);
        const grown = new RedactionCounts();
        for (const [kind, count] of Object.entries(marksOf(once.text))) {
          // A mark that was there may have gone under with what it stood in.
          grown.add(kind, count);
        }
        for (const [kind, count] of Object.entries(grown.toJson())) {
          expect(count).toBeLessThanOrEqual((once.counts[kind] ?? 0) + (before[kind] ?? 0));
        }
        if (!text.includes('[REDACTED')) expect(marksOf(once.text)).toEqual(once.counts);
        expect(redact(once.text), text).toEqual({ text: once.text, counts: {} });
      }),
      { numRuns: 5000 },
    );
  });

  it('keeps JSON that is broken or among other text as well formed as it was', () => {
    fc.assert(
      fc.property(fragments, fragments, (name, value) => {
        const json = JSON.stringify({ [name]: value, n: 1 });
        const shown = redact(`said ${json}`).text;
        expect(shown.startsWith('said {')).toBe(true);
        JSON.parse(shown.slice('said '.length));
      }),
      { numRuns: 3000 },
    );
  });
});

describe('redaction of rows', () => {
  const leaf = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
  );
  const row = fc.dictionary(fc.string(), fc.oneof(leaf, fc.array(leaf), fc.dictionary(fc.string(), leaf)));

  it('keeps names and everything that is no text, and puts marks in place of addresses only', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 3 }), embeddedIpv4, (rows, { before, written, after }) => {
        const given = JSON.stringify([...rows, { seen: before + written + after }]);
        const counts = new RedactionCounts();
        const shown = redactor.redactJson(given, counts);
        expect(marksOf(shown)).toEqual(counts.toJson());
        const expected = JSON.parse(given, (_name, value) =>
          typeof value === 'string' ? redactor.redactString(value, [], new RedactionCounts()) : value,
        );
        expect(JSON.parse(shown)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });
});
