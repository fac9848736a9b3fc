import { describe, expect, it } from 'vitest';
import { answeredFailure, unansweredFailure } from './failure.ts';

describe('a failure of ClickHouse', () => {
  it.each([
    [158, 'bound'],
    [396, 'bound'],
    [241, 'memory'],
    [159, 'deadline'],
    [394, 'cancelled'],
    [252, 'busy'],
    [319, 'uncertain'],
    [243, 'disk'],
    [164, 'denied'],
    [497, 'denied'],
    [60, 'missing'],
    [53, 'other'],
  ])('with code %i is %s, whether a header or the text tells it', (code, kind) => {
    expect(answeredFailure(500, code, '')).toMatchObject({ kind, code });
    expect(answeredFailure(500, null, `Code: ${code}. DB::Exception: x. (Y)`)).toMatchObject({ kind, code });
  });

  it('without a code comes from a proxy, which failed or refused', () => {
    expect(answeredFailure(502, null, '<html>')).toMatchObject({ kind: 'unreachable', code: null });
    expect(answeredFailure(404, null, '<html>')).toMatchObject({ kind: 'other', code: null });
  });

  it('without an answer may be tried elsewhere', () => {
    expect(unansweredFailure(new Error('read ECONNRESET'))).toMatchObject({ kind: 'unreachable' });
    const known = answeredFailure(500, 241, '');
    expect(unansweredFailure(known)).toBe(known);
  });
});
