import { describe, expect, it } from 'vitest';
import { answeredFailure, unansweredFailure, withoutRepeatedValues } from './failure.ts';

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
    for (const status of [408, 425, 429])
      expect(answeredFailure(status, null, 'limits exceeded')).toMatchObject({ kind: 'busy', code: null });
  });

  it('that comes after rows is logged without them', () => {
    const exception = 'Code: 241. DB::Exception: Memory limit exceeded. (X)';
    const { message } = answeredFailure(200, null, `anna@example.com ${exception}`);
    expect(message).toBe(`ClickHouse answered 200: ${exception}`);
    expect(answeredFailure(200, 241, 'anna@example.com').message).toBe('ClickHouse answered 200: ');
  });

  it('without an answer may be tried elsewhere', () => {
    expect(unansweredFailure(new Error('read ECONNRESET'))).toMatchObject({ kind: 'unreachable' });
    const known = answeredFailure(500, 241, '');
    expect(unansweredFailure(known)).toBe(known);
  });

  it.each([
    [
      'Code: 27. DB::Exception: Cannot parse input: expected , before: secret\\n (SECRET): (at row 1)\n: While executing. (CANNOT_PARSE_INPUT_ASSERTION_FAILED) (version 26.7.1.1)\n',
      'Cannot parse input: … (CANNOT_PARSE_INPUT_ASSERTION_FAILED)',
    ],
    ['Code: 53. DB::Exception: Type mismatch of `secret`. (TYPE_MISMATCH)', 'Type mismatch of `…`. (TYPE_MISMATCH)'],
    ['Code: 6. DB::Exception: Cannot parse: secret', 'Cannot parse: …'],
    ['Code: 241. DB::Exception: Memory limit exceeded: 5 GiB. (X)', 'Memory limit exceeded: 5 GiB. (X)'],
  ])('is logged without what %j repeats of rows', (text, logged) => {
    const { message } = withoutRepeatedValues(answeredFailure(500, null, text));
    expect(message).toMatch(/^ClickHouse answered 500: Code: \d+\. DB::Exception: /);
    expect(message.replace(/^.*DB::Exception: /, '')).toBe(logged);
  });
});
