import { createServer, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { runCommandLine } from '../../../test/support/commandLine.ts';
import { listenLocally } from '../../../test/support/listenLocally.ts';
import type { CliContext } from '../cliContext.ts';

/** What each connection gets, in turn. */
let answers: ((response: ServerResponse) => void)[] = [];
let asked: { url: string; lastEventId: string | undefined }[] = [];
const server = createServer((request, response) => {
  asked.push({ url: request.url ?? '', lastEventId: request.headers['last-event-id']?.toString() });
  const answer = answers.shift();
  if (answer === undefined) throw new Error('a further connection');
  answer(response);
});
let url = '';
beforeAll(async () => {
  url = await listenLocally(server);
});
afterAll(() => server.close());
beforeEach(() => {
  asked = [];
});

const types = { at: 'TIMESTAMP', v: 'STRING', n: 'INT64', more: 'JSON' };
const columns = Object.entries(types).map(([name, type]) => ({ name, type }));
const start = (notices: readonly object[] = []) => ({ event: 'start', id: 'begin', data: { columns, notices } });
const row = (id: string, data: string) => `{"event":"row","id":"${id}","data":${data}}`;
const end = (retryable: boolean) => ({
  event: 'end',
  data: { code: retryable ? 'service.draining' : 'auth.invalid', detail: 'It is over.', retryable },
});
const sends =
  (...parts: readonly (object | string)[]) =>
  (response: ServerResponse) =>
    response.end(parts.map((part) => `${typeof part === 'string' ? part : JSON.stringify(part)}\n`).join(''));
const breaks =
  (...parts: readonly (object | string)[]) =>
  (response: ServerResponse) => {
    const text = parts.map((part) => `${typeof part === 'string' ? part : JSON.stringify(part)}\n`).join('');
    response.write(`${text}{"event":"row","id":"cut`, () => response.destroy());
  };
const refuses = (status: number, code: string) => (response: ServerResponse) =>
  response.writeHead(status).end(JSON.stringify({ status, code, error: { message: 'It is refused.' } }));

const tail = (args: readonly string[], given: Partial<CliContext> = {}, environment = {}) =>
  runCommandLine({ url, adminToken: 't' }, ['tail', 'logs.all', ...args], 't', {
    ...given,
    environment: { LOGMILL_URL: url, LOGMILL_TOKEN: 't', ...environment },
  });

const first = '{"at":"2026-05-01T12:00:00Z","v":"a b\\u001b[2J","n":12345678901234567890,"more":{"x":[1]}}';
const plain = 'at=2026-05-01T12:00:00Z v="a b\\u001b[2J" n=12345678901234567890 more={"x":[1]}\n';

it('prints a line for each row, and how the tail ended', async () => {
  answers = [sends(start([{ code: 'tail.order_dropped', message: 'No order.' }]), row('1', first), end(false))];
  const { code, out, err } = await tail(['-p', 'project=p', '--sql', 'select 1']);
  expect([code, out]).toEqual([1, plain]);
  expect(err).toBe('notice: No order.\nThe tail ended: It is over. [auth.invalid]\n');
  expect(asked).toEqual([
    { url: '/api/endpoints/tail/logs.all?project=p&sql=select+1&format=ndjson', lastEventId: undefined },
  ]);
});

it('prints in colours to a terminal, unless NO_COLOR says otherwise, and never what a sender wants it to do', async () => {
  const shown = async (environment: object) => {
    answers = [sends(start(), row('1', first), end(false))];
    return (await tail([], { columns: 80 }, environment)).out;
  };
  const coloured = await shown({});
  expect(coloured).toContain('\u001b[2mat=\u001b[22m\u001b[32m2026-05-01T12:00:00Z\u001b[39m');
  expect(coloured).not.toContain('\u001b[2J');
  expect(await shown({ NO_COLOR: '1' })).toBe(plain);
  expect(await shown({ TERM: 'dumb' })).toBe(plain);
});

it('prints rows as JSON for programs, and everything else as messages', async () => {
  const gap = { event: 'gap', id: 'g', data: { reason: 'expired', from: '2026-05-01T12:00:00Z' } };
  const dropped = { event: 'dropped', id: 'd', data: { count: 412, exact: false } };
  answers = [sends(start(), gap, row('1', first), { event: 'mark', id: 'm', data: {} }, dropped, end(false))];
  const { out, err } = await tail(['--json']);
  expect(out).toBe(`${first}\n`);
  expect(err).toContain('gap: Rows before 2026-05-01T12:00:00Z may be missing');
  expect(err).toContain('dropped: at least 412 rows were left out');
});

it('connects again after the last row, waiting longer each time, until the service says that it is over', async () => {
  const waits: number[] = [];
  const delay = async (ms: number) => {
    waits.push(ms);
  };
  answers = [
    breaks(start(), row('one', '{"v":"one"}')),
    refuses(503, 'service.draining'),
    sends(start(), row('two', '{"v":"two words"}'), end(true)),
    sends(start(), end(false)),
  ];
  const { code, out, err } = await tail([], { delay });
  expect([code, out]).toEqual([1, 'one\ntwo words\n']);
  expect(asked.map(({ lastEventId }) => lastEventId)).toEqual([undefined, 'one', 'one', 'two']);
  expect(waits).toEqual([250, 500, 250]);
  expect(err).toMatch(
    /^The connection is lost: .+ Connecting again\.\nConnected again\.\nend: It is over\. Connecting again\.\nConnected again\.\nThe tail ended: It is over\. \[auth\.invalid\]\n$/,
  );
});

it('ends at once with a refusal that would be repeated, whether it is the first answer or a later one', async () => {
  answers = [refuses(422, 'tail.refused')];
  expect(await tail([])).toMatchObject({ code: 1, err: 'It is refused. [tail.refused]\n' });
  answers = [sends(start()), refuses(403, 'auth.scope')];
  expect(await tail([])).toMatchObject({ code: 1, err: expect.stringContaining('It is refused. [auth.scope]\n') });
});

it('ends well when it is interrupted, and says how many rows it printed', async () => {
  let lastWords = '';
  let isItsEnd: boolean | undefined;
  answers = [sends(start(), row('1', '{"v":"x"}'), end(false))];
  await tail([], {
    onInterrupt: (words, given) => {
      isItsEnd = given;
      return () => {
        lastWords = words();
      };
    },
  });
  expect([lastWords, isItsEnd]).toEqual(['\n1 row\n', true]);
});
