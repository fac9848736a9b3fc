import { describe, expect, it } from 'vitest';
import { headersOf, tracesEndpoint, tracesHeaders } from './tracesSettings.ts';

describe('the settings of traces', () => {
  it('reads headers with percent-encoded values', () => {
    expect(headersOf('Authorization=Bearer%20a%3Db, x-team=logs')).toEqual({
      authorization: 'Bearer a=b',
      'x-team': 'logs',
    });
  });

  it.each(['', 'x', 'x=', '=y', 'x=%', 'x y=z', 'x=a%0d%0ab', 'x=%e4'])('refuses the headers "%s"', (text) => {
    expect(tracesHeaders.safeParse(text).success).toBe(false);
  });

  it.each([
    ['http://127.0.0.1:4318/v1/traces', true],
    ['https://traces.example.com/otlp', true],
    ['https://user:secret@traces.example.com/', false],
    ['ftp://traces.example.com', false],
    ['127.0.0.1:4318', false],
  ])('takes %s for an address: %s', (text, isTaken) => {
    expect(tracesEndpoint.safeParse(text).success).toBe(isTaken);
  });
});
