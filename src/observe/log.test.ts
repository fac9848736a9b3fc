import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from './log.ts';

let folder: string;
let fd: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'logmill-log-'));
  fd = openSync(join(folder, 'log'), 'w');
});
afterEach(() => {
  closeSync(fd);
  rmSync(folder, { recursive: true });
});

const lines = () =>
  readFileSync(join(folder, 'log'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));

describe('createLog', () => {
  it('writes each observation as one line of JSON, with time and level', async () => {
    const log = createLog({ level: 'info', fd });
    log.observe({ kind: 'service.stopping', reason: 'SIGTERM' });
    log.observe({ kind: 'request.failed', requestId: 'r-1', code: 'internal', cause: new Error('two\nlines') });
    await log.flush();
    expect(lines()).toMatchObject([
      { level: 30, kind: 'service.stopping', reason: 'SIGTERM', time: expect.stringMatching(/Z$/) },
      { level: 50, kind: 'request.failed', requestId: 'r-1', cause: expect.stringContaining('two\nlines') },
    ]);
  });

  it('writes lines for people on request, with the same levels', async () => {
    const log = createLog({ level: 'warn', format: 'text', fd });
    log.observe({ kind: 'service.stopping', reason: 'SIGTERM' });
    log.observe({ kind: 'warning', message: 'look' });
    await log.flush();
    expect(readFileSync(join(folder, 'log'), 'utf8')).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z WARN {2}look\n$/);
  });

  it('leaves out entries below its level', async () => {
    const log = createLog({ level: 'warn', fd });
    log.observe({ kind: 'service.stopping', reason: 'SIGTERM' });
    log.observe({ kind: 'warning', message: 'look' });
    await log.flush();
    expect(lines()).toMatchObject([{ msg: 'look' }]);
  });

  it('has written every line in order when it is flushed', async () => {
    const log = createLog({ level: 'info', fd });
    for (let n = 0; n < 500; n++) log.observe({ kind: 'warning', message: String(n) });
    await log.flush();
    expect(lines().map((line) => (line as { readonly msg: string }).msg)).toEqual([...Array(500).keys()].map(String));
  });

  it('has nothing to flush if nothing was written', async () => {
    await createLog({ level: 'info', fd }).flush();
    const log = createLog({ level: 'silent', fd });
    log.observe({ kind: 'warning', message: 'look' });
    await log.flush();
    expect(lines()).toEqual([]);
  });
});
