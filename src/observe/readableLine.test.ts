import { expect, it } from 'vitest';
import { readableLine } from './readableLine.ts';
import { writtenObservation } from './writtenObservation.ts';

const timeMs = Date.UTC(2026, 4, 1, 12, 0, 0, 7);
const lineOf = (...[observation]: Parameters<typeof writtenObservation>) =>
  readableLine(writtenObservation(observation), timeMs);

it('has the time, the level, the message, and the members by name', () => {
  expect(lineOf({ kind: 'service.ready', url: 'http://127.0.0.1:4000', startMs: 812 })).toBe(
    '2026-05-01T12:00:00.007Z INFO  service.ready url=http://127.0.0.1:4000 startMs=812\n',
  );
  expect(lineOf({ kind: 'warning', message: 'times of last use could not be written' })).toBe(
    '2026-05-01T12:00:00.007Z WARN  times of last use could not be written\n',
  );
});

it('names nested members by their path, and quotes values with white space', () => {
  const call = {
    endpoint: { id: 'e-1', name: 'logs.all', version: 3 },
    token: 'abc',
    isCallerQuery: false,
    cache: null,
    rowCount: 2,
    bytes: 99,
    answeredMs: 4,
    stagesMs: { find: 0.5 },
  };
  expect(lineOf({ kind: 'call.slow', requestId: 'r-1', status: 200, call })).toBe(
    '2026-05-01T12:00:00.007Z WARN  call.slow requestId=r-1 status=200 call.endpoint.id=e-1 call.endpoint.name=logs.all ' +
      'call.endpoint.version=3 call.token=abc call.isCallerQuery=false call.cache=null call.rowCount=2 call.bytes=99 ' +
      'call.answeredMs=4 call.stagesMs.find=0.5\n',
  );
  expect(lineOf({ kind: 'file.damaged', file: 'sealed-1.duckdb', reason: 'a = b' })).toContain('reason="a = b"');
  expect(lineOf({ kind: 'endpoints.deployed', from: 'folder', endpoints: ['a', 'b'] })).toContain(
    'endpoints=["a","b"]',
  );
});

it('writes a cause on indented lines', () => {
  const cause = { toString: () => 'x' };
  expect(lineOf({ kind: 'warning', message: 'look', cause: 'one\ntwo' })).toBe(
    '2026-05-01T12:00:00.007Z WARN  look\n    one\n    two\n',
  );
  expect(lineOf({ kind: 'warning', message: 'look', cause })).toContain('\n    {}\n');
});

it('escapes everything that a terminal would obey', () => {
  const nasty = 'a\u001b[2Jb\u009bc\rd\u202ee\u0007';
  for (const line of [
    lineOf({ kind: 'warning', message: nasty, cause: nasty }),
    lineOf({ kind: 'file.damaged', file: nasty, reason: `${nasty} with white space` }),
  ]) {
    expect(line).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
    expect(line).toContain('a\\u001b[2Jb\\u009bc');
  }
});
