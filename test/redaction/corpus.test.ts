import { describe, expect, it } from 'vitest';
import { RedactionCounts } from '../../src/redact/redactionCounts.ts';
import { measureCorpus } from './measureCorpus.ts';
import { expectedOf, readCorpus } from './readCorpus.ts';

const corpus = readCorpus();

describe('the labelled corpus', () => {
  it('holds at least 600 texts, personal data and look-alikes', () => {
    const texts = corpus.flatMap((file) => file.texts);
    expect(texts.length).toBeGreaterThanOrEqual(600);
    expect(texts.filter(({ marks }) => marks.length === 0).length).toBeGreaterThanOrEqual(200);
  });

  it('is recalled wholly for addresses, at least 99 in 100 for e-mail and keys, with no look-alike taken', () => {
    for (const { detector, kind, labelled, found, false: wrong } of measureCorpus()) {
      expect(labelled, detector).toBeGreaterThan(0);
      expect(found / labelled, `recall of ${detector}`).toBeGreaterThanOrEqual(kind === 'ip' ? 1 : 0.99);
      expect(wrong, `false marks of ${detector}`).toBe(0);
    }
  });

  for (const { name, texts, redactor } of corpus) {
    it(`${name}: each text reads as labelled, counts its marks, and stays so when redacted again`, () => {
      for (const entry of texts) {
        const counts = new RedactionCounts();
        const redacted = redactor.redactString(entry.text, [], counts);
        expect(redacted, entry.text).toBe(expectedOf(entry));
        const written = Object.values(counts.toJson()).reduce((sum, count) => sum + count, 0);
        expect(written, entry.text).toBe(entry.marks.length);
        const again = new RedactionCounts();
        expect(redactor.redactString(redacted, [], again)).toBe(redacted);
        expect(again.toJson()).toEqual({});
      }
    });
  }
});
