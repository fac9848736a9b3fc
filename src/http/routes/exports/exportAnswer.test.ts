import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../core/errors.ts';
import type { ExportedData } from '../../../exports/exports.ts';
import { exportAnswer } from './exportAnswer.ts';

const tag = '"now"';
const data: ExportedData = {
  record: {
    id: 'i',
    tokenId: 't',
    placeOwner: 'o',
    rights: 'r',
    endpoint: { id: 'e', name: 'logs.all', version: 1 },
    identity: { id: 'e', version: 1, redactPii: false, sandbox: false },
    version: [],
    basis: 'b',
    format: { name: 'csv', isGuarded: false, hasMark: false },
    profile: 'plain',
    createdMicros: 0,
    deadlineMicros: 1,
    state: 'complete',
    rows: 1,
    bytes: 10,
    endedMicros: 1,
    failure: null,
    result: null,
    files: {},
  },
  format: { name: 'csv', isGuarded: false, hasMark: false },
  bytes: 10,
  entityTag: tag,
  open: (from, to) => Readable.from([`${from}-${to}`]),
};
const token = () => Promise.reject(new Error('not asked for'));

type Conditions = Readonly<Record<'if-match' | 'if-none-match' | 'range' | 'if-range', string | undefined>>;

/** The status, and the first byte and the length of what is sent. */
function answerTo(method: string, conditions: Conditions): string {
  const given = Object.entries(conditions).filter(([, value]) => value !== undefined);
  try {
    const answer = exportAnswer(data, {
      headers: Object.fromEntries(given),
      received: { method } as IncomingMessage,
      authenticateAgain: token,
    });
    const { 'content-range': part = 'whole', etag } = answer.headers;
    expect([etag, answer.body instanceof Readable]).toEqual([tag, method === 'GET' && answer.status !== 304]);
    return `${answer.status} ${answer.status === 304 ? '' : part}`.trim();
  } catch (error) {
    if (error instanceof ServiceError) return String(error.status);
    throw error;
  }
}

/** What each value of a header means, by RFC 9110: whether it names the current tag, or which bytes it asks for. */
const ifMatches = new Map<string | undefined, boolean>([
  [undefined, true],
  ['*', true],
  [tag, true],
  [`"old", ${tag}`, true],
  ['"old"', false],
  [`W/${tag}`, false],
]);
const ifNoneMatches = new Map<string | undefined, boolean>([
  [undefined, false],
  ['*', true],
  [tag, true],
  [`W/${tag}`, true],
  ['"old"', false],
]);
const ranges = new Map<string | undefined, string>([
  [undefined, 'whole'],
  ['bytes=2-', 'bytes 2-9/10'],
  ['bytes=-1', 'bytes 9-9/10'],
  ['bytes=10-', 'none'],
  ['bytes=0-1,4-5', 'whole'],
  ['lines=1-2', 'whole'],
]);
const ifRanges = new Map<string | undefined, boolean>([
  [undefined, true],
  [tag, true],
  [`W/${tag}`, false],
  ['"old"', false],
  ['Fri, 01 May 2026 10:00:00 GMT', false],
]);

describe('the conditions of a request for data', () => {
  const cases = [...ifMatches].flatMap(([ifMatch, isMatch]) =>
    [...ifNoneMatches].map(([ifNoneMatch, isCurrent]) => ({ ifMatch, isMatch, ifNoneMatch, isCurrent })),
  );
  it.each(cases)(
    'If-Match $ifMatch and If-None-Match $ifNoneMatch come before Range and If-Range',
    ({ ifMatch, isMatch, ifNoneMatch, isCurrent }) => {
      for (const [range, part] of ranges) {
        for (const [ifRange, isSame] of ifRanges) {
          const conditions = { 'if-match': ifMatch, 'if-none-match': ifNoneMatch, range, 'if-range': ifRange };
          const asked = isSame ? part : 'whole';
          const sent = { none: '416', whole: '200 whole' }[asked] ?? `206 ${asked}`;
          const expected = (whole: string) => (!isMatch ? '412' : isCurrent ? '304' : whole);
          expect(answerTo('GET', conditions), JSON.stringify(conditions)).toBe(expected(sent));
          // Only GET has ranges.
          expect(answerTo('HEAD', conditions), JSON.stringify(conditions)).toBe(expected('200 whole'));
        }
      }
    },
  );

  it('refuses an If-Match that is no list of tags, instead of ignoring it', () => {
    const conditions = { 'if-match': 'now', 'if-none-match': undefined, range: 'bytes=2-', 'if-range': undefined };
    expect(answerTo('GET', conditions)).toBe('400');
  });

  it('ignores those of a call that waits for its export: they are about the answer to the call', () => {
    const call = {
      headers: { 'if-match': '"old"', range: 'bytes=2-' },
      received: { method: 'GET' } as IncomingMessage,
    };
    expect(exportAnswer(data, { ...call, authenticateAgain: token }, false).status).toBe(200);
  });
});
