import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Engine, EngineGone } from './engine.ts';

let folder: string;
let engine: Engine | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'engine-'));
});
afterEach(async () => {
  await engine?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** An engine whose process answers with what `answers` returns for a request. */
function engineThat(answers: string): Engine {
  const program = join(folder, 'process.mjs');
  writeFileSync(
    program,
    `process.on('disconnect', () => process.exit());
    process.on('message', (request) => { for (const answer of (${answers})(request)) process.send(answer); });
    process.send({ ready: true, version: '0' });`,
  );
  engine = new Engine(folder, join(folder, 'data'), [], program);
  return engine;
}

const request = (id: string, statement = 'SELECT 1') => ({
  id,
  session: null,
  prelude: [],
  settingsToRestore: [],
  params: {},
  statement,
});

it('takes no answer for that of another statement', async () => {
  const tested = engineThat(
    `({ id }) => [{ id: 'another', ok: true, rows: 66 }, { ok: true, rows: 67 }, { id, ok: true, rows: 1 }]`,
  );
  expect((await tested.run(request('a'))).resultRows).toBe(1);
  expect((await tested.run(request('b'))).resultRows).toBe(1);
  expect(tested.discarded).toBe(4);
});

it('fails a statement, and replaces the process, if its answer came with bytes of another one', async () => {
  const tested = engineThat(
    `({ id, statement }) => [{ id, ok: true, rows: 1, strayBytes: statement === 'bad' ? 12 : 0 }]`,
  );
  await tested.run(request('a'));
  const waiting = [tested.run(request('b', 'bad')), tested.run(request('c'))];
  await expect(waiting[0]).rejects.toThrow('12 bytes that do not belong');
  expect((await waiting[1])?.resultRows).toBe(1);
  expect(tested.starts).toBe(2);
});

it('fails the statement whose process ended, and runs the next one in another process', async () => {
  const tested = engineThat(
    `({ id, statement }) => { if (statement === 'end') process.exit(3); return [{ id, ok: true, rows: 1 }]; }`,
  );
  const ended = tested.run(request('a', 'end'));
  const next = tested.run(request('b'));
  await expect(ended).rejects.toThrow(EngineGone);
  expect((await next).resultRows).toBe(1);
});

it('fails every statement with a sentence if the process does not start', async () => {
  const program = join(folder, 'process.mjs');
  writeFileSync(program, `console.error('no such library'); process.exit(1);`);
  engine = new Engine(folder, join(folder, 'data'), [], program);
  await expect(engine.run(request('a'))).rejects.toThrow(/ClickHouse did not start.*no such library/s);
});

it('ends a statement that waits without ending the one that runs', async () => {
  const tested = engineThat(`({ id, statement }) => (statement === 'wait' ? [] : [{ id, ok: true, rows: 1 }])`);
  const running = tested.run(request('a', 'wait'));
  const waiting = tested.run(request('b'));
  const gone = new EngineGone('Code: 394. DB::Exception: killed');
  expect(tested.kill('b', gone)).toBe(true);
  await expect(waiting).rejects.toThrow('killed');
  expect(tested.kill('a', gone)).toBe(true);
  await expect(running).rejects.toThrow('killed');
  expect(tested.kill('a', gone)).toBe(false);
});
