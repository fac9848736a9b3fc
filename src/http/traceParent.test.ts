import { describe, expect, it } from 'vitest';
import { traceParent } from './traceParent.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const span = '00f067aa0ba902b7';

describe('traceParent', () => {
  it.each([
    ['a sampled span', true, `00-${trace}-${span}-01`],
    ['one that is not sampled', false, `00-${trace}-${span}-00`],
    ['further flags', true, `00-${trace}-${span}-ff`],
    ['further flags without that one', false, `00-${trace}-${span}-fe`],
    ['a later version', true, `01-${trace}-${span}-01`],
    ['a later version with more', true, `cc-${trace}-${span}-01-what-the-future-brings`],
  ])('reads %s', (_what, isSampled, header) => {
    expect(traceParent(header)).toEqual({ traceId: trace, spanId: span, isSampled });
  });

  it.each([
    ['nothing', undefined],
    ['two headers', [`00-${trace}-${span}-01`, `00-${trace}-${span}-01`]],
    ['empty text', ''],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${span}-01`],
    ['a span of zeros', `00-${trace}-${'0'.repeat(16)}-01`],
    ['upper case', `00-${trace.toUpperCase()}-${span}-01`],
    ['the forbidden version', `ff-${trace}-${span}-01`],
    ['more than version 00 has', `00-${trace}-${span}-01-more`],
    ['more without a dash', `01-${trace}-${span}-01more`],
    ['an id that is too short', `00-${trace.slice(1)}-${span}-01`],
    ['text around it', ` 00-${trace}-${span}-01`],
    ['a line break', `00-${trace}-${span}-01\n{"level":30}`],
  ])('ignores %s', (_what, header) => {
    expect(traceParent(header)).toBeUndefined();
  });
});
