import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { mutations } from '../../scripts/mutations.ts';

describe('the mutations that the recorded suite must notice', () => {
  it.each(mutations)('$name: its text stands in the source once', ({ file, text }) => {
    const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    expect(source.split(text)).toHaveLength(2);
  });
});
