import { expect, it } from 'vitest';
import { readCallList } from './callList.ts';

it('reads a path, a URL, a line of an access log and a JSON object from each line, and leaves out comments', () => {
  const list = [
    '# calls of Monday',
    '/api/endpoints/query/logs.all?project=p&sql=select%201',
    '',
    'GET /api/endpoints/query/a',
    'https://old.example:8443/api/endpoints/query/b?x=%2F#part',
    '192.0.2.7 - - [23/Nov/2026:10:00:00 +0000] "GET /api/endpoints/query/c?project=p HTTP/1.1" 200 512 "-" "curl/8"',
    '{"path": "/api/endpoints/query/d", "body": {"project": "p", "n": 9007199254740993}}',
  ].join('\r\n');
  expect(readCallList(list)).toEqual([
    { line: 2, path: '/api/endpoints/query/logs.all?project=p&sql=select%201' },
    { line: 4, path: '/api/endpoints/query/a' },
    { line: 5, path: '/api/endpoints/query/b?x=%2F' },
    { line: 6, path: '/api/endpoints/query/c?project=p' },
    { line: 7, path: '/api/endpoints/query/d', body: '{"project":"p","n":9007199254740993}' },
  ]);
});

it.each([
  ['/a\nnothing of this', /^Line 2 of the list is no call: it is no path/],
  ['/a b', /^Line 1 /],
  ['{"path": 1}', /needs a member "path"/],
  ['{"path"', /^Line 1 /],
  ['\n# none\n', /has no calls/],
])('refuses %j and names the line', (list, message) => {
  expect(() => readCallList(list)).toThrow(message);
});
