import fc from 'fast-check';
import { expect, it } from 'vitest';
import { defaultDetectors, optionalDetectors } from '../../src/redact/createRedactor.ts';
import { isSecretName, secretNamesIn, secretWords } from '../../src/redact/detectors/secretNames.ts';
import { hintOf } from '../../src/redact/redactText.ts';
import { TextView } from '../../src/redact/textView.ts';
import { readCorpus } from './readCorpus.ts';

const detectors = [...defaultDetectors, ...Object.values(optionalDetectors)];

/** Detectors that find something in a text that their hint says holds nothing for them. */
function hiddenByHint(text: string): readonly string[] {
  const view = TextView.of(text);
  const whole = hintOf(detectors);
  return detectors
    .filter(({ hint, find }) => {
      if (hint?.test(view.text) !== false && whole?.test(text) !== false) return false;
      let count = 0;
      find(view, () => {
        count += 1;
      });
      return count > 0;
    })
    .map(({ name }) => name);
}

const separators = ['=', ': ', ' => ', ' := ', '->', ' '];
const quotes = ['', "'", '"', '`', '\\"'];
const spellings = [
  (name: string) => name,
  (name: string) => name.toUpperCase(),
  (name: string) => name.charAt(0).toUpperCase() + name.slice(1),
  (name: string) => name.replaceAll(/[_-](.)/g, (_, letter: string) => letter.toUpperCase()),
];

const names = fc.stringMatching(new RegExp(`^(?:${secretWords.replaceAll(/\(\?<[=!][^)]*\)/g, '[_?&]')})$`));

/** Secrets behind every name that `secretWords` knows, as configurations, headers, XML and commands write them. */
const named = fc
  .record({
    name: names,
    spelling: fc.constantFrom(...spellings),
    before: fc.constantFrom('', 'x ', 'db_', '--', '?', '&', '<', '['),
    quote: fc.constantFrom(...quotes),
    separator: fc.constantFrom(...separators),
    value: fc.constantFrom('abcdef', 'hunter two', 'a1b2c3'),
  })
  .map(({ name, spelling, before, quote, separator, value }) => {
    const written = spelling(name);
    if (before === '<') return `<${written}>${value}</${written}>`;
    const close = before === '[' ? ']' : '';
    return `${before}${quote}${written}${quote}${close}${separator}${quote}${value}${quote}`;
  });

it('never passes over a text in which a detector finds something', () => {
  const check = (text: string): void => {
    expect(hiddenByHint(text), text).toEqual([]);
  };
  fc.assert(fc.property(named, check), { numRuns: 3000 });
});

it('finds every name that members may have in texts, too', () => {
  fc.assert(
    fc.property(names, fc.constantFrom(...spellings), (name, spelling) => {
      fc.pre(isSecretName(`x ${spelling(name)}`));
      const text = `x ${spelling(name)}=1`;
      const ends = secretNamesIn(TextView.of(text)).map((found) => found.at + found.name.length);
      expect([text, ends]).toEqual([text, expect.arrayContaining([text.length - 2])]);
    }),
    { numRuns: 3000 },
  );
});

it('passes over no text of the corpus in which a detector finds something, in any case', () => {
  for (const { texts } of readCorpus()) {
    for (const { text } of texts) {
      for (const each of [text, text.toUpperCase(), text.toLowerCase()]) {
        expect(hiddenByHint(each), each).toEqual([]);
      }
    }
  }
});
