import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../../test/support/commandLine.ts';
import type { CliContext } from '../cliContext.ts';
import { ExportService, exportedData } from './exportService.fixture.ts';

let service: ExportService;
let folder = '';
let file = '';
let url = '';

beforeEach(async () => {
  service = new ExportService();
  url = await service.listen();
  folder = mkdtempSync(join(tmpdir(), 'export-'));
  file = join(folder, 'rows.parquet');
});
afterEach(() => {
  service.close();
  rmSync(folder, { recursive: true });
});

const run = (flags: readonly string[] = [], given: Partial<CliContext> = {}, project = 'p') =>
  runCommandLine(
    { url, adminToken: 't' },
    ['export', 'logs.all', '-p', `project=${project}`, '--format', 'parquet', '-o', file, ...flags],
    't',
    given,
  );

/** Stops the command as Ctrl-C does, when it waits for the nth time. Returns its last words. */
async function interrupted(waits = 1, flags: readonly string[] = []): Promise<string> {
  let words = () => '';
  let left = waits;
  return await new Promise((resolve) => {
    void run(flags, {
      onInterrupt: (lastWords) => {
        words = lastWords;
        return () => undefined;
      },
      delay: () => (--left > 0 ? Promise.resolve() : new Promise<void>(() => resolve(words()))),
    });
  });
}

const downloads = () =>
  service.requests.filter((each) => each.includes('/data')).map((each) => each.split(' ').slice(2).join(' '));
const begun = () => service.requests.filter((each) => each.startsWith('POST')).length;
const leftOver = () => readdirSync(folder).sort();
const note = () => JSON.parse(readFileSync(`${file}.part.json`, 'utf8'));
/** As if the process that wrote the note were another one. */
const changeNote = (members: object) => writeFileSync(`${file}.part.json`, JSON.stringify({ ...note(), ...members }));

describe('logmill export', () => {
  it('waits for the export, writes its data, and removes it', async () => {
    const { code, out, err } = await run();
    expect({ code, out, err }).toEqual({ code: 0, out: '', err: `7 rows in ${file}\n` });
    expect(readFileSync(file)).toEqual(exportedData);
    const path = '/api/exports/export-1';
    expect(service.requests).toEqual([
      'POST /api/endpoints/query/logs.all respond-async project=p&format=parquet',
      `GET ${path}`,
      `GET ${path}`,
      `GET ${path}/data?format=parquet`,
      `DELETE ${path}`,
    ]);
    expect(leftOver()).toEqual(['rows.parquet']);
  });

  it('prints what it wrote as JSON on demand', async () => {
    const { code, out, err } = await run(['--json']);
    expect([code, err, JSON.parse(out)]).toEqual([0, '', { file, rows: 7, truncated_by: null, notices: [] }]);
  });

  it('tells the notices of the data and of the state, each once', async () => {
    const [first, second] = [
      { code: 'export.one_answer', message: 'One answer.' },
      { code: 'page.order_added', message: 'By arrival.' },
    ];
    service.headers = { 'x-notices': JSON.stringify([first, second, { more: 2 }]) };
    service.states = [{ state: 'complete', rows: 7, truncated_by: 'query_limit', notices: [first] } as object];
    const { err } = await run();
    expect(err.split('\n')).toEqual([
      `7 rows in ${file}, truncated by query_limit`,
      'notice: One answer.',
      'notice: By arrival.',
      'notice: 2 more notices do not fit into the headers of this format; JSON has all.',
      '',
    ]);
    // A state that has all of them.
    rmSync(file);
    service.headers = { 'x-notices': JSON.stringify([first, { more: 1 }]) };
    service.states = [{ state: 'complete', rows: 7, notices: [first, second] } as object];
    expect(JSON.parse((await run(['--json'])).out).notices).toEqual([first, second]);
  });

  it('goes on where a broken connection ended, with the same bytes', async () => {
    service.breaks = [1000, 1000, 3000];
    expect((await run()).code).toBe(0);
    expect(readFileSync(file)).toEqual(exportedData);
    expect(downloads()).toEqual(['', 'bytes=1000- "tag"', 'bytes=1000- "tag"', 'bytes=3000- "tag"']);
  });

  it('waits for a service that has no room, or restarts', async () => {
    service.refusals = 3;
    expect([(await run()).code, readFileSync(file)]).toEqual([0, exportedData]);
  });

  it('asks for the options of a format, and refuses them for others', async () => {
    expect((await run(['--format', 'csv', '--csv-guard', '--bom'])).code).toBe(0);
    const [begin] = service.requests;
    expect(begin).toContain('project=p&format=csv&csv_guard=true&bom=true');
    expect(service.requests.some((each) => each.endsWith('/data?format=csv&csv_guard=true&bom=true'))).toBe(true);
    expect(await run(['--bom'])).toMatchObject({ code: 2, err: '--bom is for --format csv or tsv.\n' });
  });

  it('takes --out and --output alike, and needs one of them', async () => {
    const other = join(folder, 'other');
    const args = ['export', 'logs.all'];
    const call = (...flags: string[]) => runCommandLine({ url, adminToken: 't' }, [...args, ...flags]);
    expect([(await call('--output', other)).code, (await call('--out', file)).code]).toEqual([0, 0]);
    expect(leftOver()).toEqual(['other', 'rows.parquet']);
    expect(await call()).toMatchObject({ code: 2, err: expect.stringContaining('give --out FILE') });
    expect(await call('--out', 'a', '--output', 'b')).toMatchObject({ code: 2 });
  });

  it('writes to standard output as -, and refuses what a terminal cannot show', async () => {
    const bytes: Uint8Array[] = [];
    const toOutput = (given: Partial<CliContext>) =>
      runCommandLine({ url, adminToken: 't' }, ['export', 'logs.all', '--format', 'arrow', '-o', '-'], 't', given);
    const { code, err } = await toOutput({ outBytes: (part) => bytes.push(part) });
    expect([code, err, Buffer.concat(bytes)]).toEqual([0, '7 rows\n', exportedData]);
    expect(service.exports.size).toBe(0);
    const begunBefore = begun();
    expect(await toOutput({ columns: 80 })).toMatchObject({ code: 2, err: expect.stringContaining('a terminal') });
    expect([begun(), leftOver()]).toEqual([begunBefore, []]);
  });

  it('shows how far it is on a terminal', async () => {
    const { err } = await run([], { isTerminal: true });
    expect(err).toContain('\rrunning: 1 row, 10 bytes\r');
    expect(err).toContain('\rreading 4.9 KiB of 4.9 KiB\r');
    expect(err.endsWith(`\r7 rows in ${file}\n`)).toBe(true);
  });

  it('says why an export failed, writes no file, and gives its place back', async () => {
    service.states = [{ state: 'failed', error: { code: 'query.killed', detail: 'The operator ended it.' } }];
    const { code, err } = await run();
    expect([code, err]).toEqual([1, 'The export has failed: The operator ended it. [query.killed]\n']);
    expect([leftOver(), service.exports.size]).toEqual([[], 0]);
  });

  it('says where exports are listed if there are too many', async () => {
    service.refusal = { code: 'export.limit', status: 429 };
    const { code, err } = await run();
    expect([code, err]).toEqual([1, expect.stringContaining('"logmill exports list" shows your exports')]);
    expect(leftOver()).toEqual([]);
  });

  it('does not replace a file', async () => {
    writeFileSync(file, 'kept');
    const { code, err } = await run();
    expect([code, err]).toEqual([2, expect.stringContaining('exists already')]);
    expect([readFileSync(file, 'utf8'), service.requests]).toEqual(['kept', []]);
  });

  it('begins nothing for a file that it cannot write', async () => {
    const { code, err } = await run(['-o', join(folder, 'missing', 'rows')]);
    expect([code, err]).toEqual([1, expect.stringContaining('cannot be written')]);
    writeFileSync(`${file}.part`, 'of another');
    expect(await run()).toMatchObject({ code: 1, err: expect.stringContaining('.part exists already') });
    expect([readFileSync(`${file}.part`, 'utf8'), service.requests]).toEqual(['of another', []]);
  });
});

describe('the same command again', () => {
  it('goes on with the export and the bytes that an interrupted one left', async () => {
    const words = await interrupted();
    expect(words).toContain('Run the same command again to go on, or "logmill exports delete export-1"');
    expect(leftOver()).toEqual(['rows.parquet.part.json']);
    expect(statSync(`${file}.part.json`).mode & 0o777).toBe(0o600);
    service.breaks = [2000];
    expect(await interrupted()).toContain('export-1');
    expect(leftOver()).toEqual(['rows.parquet.part', 'rows.parquet.part.json']);
    const { code, err } = await run();
    expect([code, err]).toEqual([
      0,
      `Going on with the export export-1, which is complete (7 rows). 2.0 KiB are in ${file}.part.\n7 rows in ${file}\n`,
    ]);
    expect([readFileSync(file), begun(), downloads().at(-1)]).toEqual([exportedData, 1, 'bytes=2000- "tag"']);
    expect([leftOver(), service.exports.size]).toEqual([['rows.parquet'], 0]);
  });

  it('goes on after a service that stayed away', async () => {
    service.breaks = [1000, ...Array.from({ length: 30 }, () => 1000)];
    const { code, err } = await run();
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('Run the same command again to go on with the export export-1'),
    ]);
    service.breaks = [];
    expect([(await run()).code, readFileSync(file), begun()]).toEqual([0, exportedData, 1]);
  });

  it('needs no byte more if only the name was missing', async () => {
    await interrupted();
    writeFileSync(`${file}.part`, exportedData);
    changeNote({ entity_tag: '"tag"' });
    expect([(await run()).code, readFileSync(file)]).toEqual([0, exportedData]);
  });

  it('reads the data from their beginning if they are others, or if it is not known what the bytes are', async () => {
    for (const entityTag of ['"older"', null]) {
      await interrupted();
      writeFileSync(`${file}.part`, Buffer.alloc(6000, 1));
      changeNote({ entity_tag: entityTag });
      expect([(await run()).code, readFileSync(file)]).toEqual([0, exportedData]);
      rmSync(file);
    }
    // Longer than the data of the same tag.
    await interrupted();
    writeFileSync(`${file}.part`, Buffer.alloc(6000, 1));
    changeNote({ entity_tag: '"tag"' });
    expect([(await run()).code, readFileSync(file)]).toEqual([0, exportedData]);
  });

  it('begins a new export, and says so, if the service has none any more or it failed', async () => {
    await interrupted();
    service.exports.clear();
    const gone = await run();
    expect(gone).toMatchObject({ code: 0, err: expect.stringContaining('no longer has the export export-1') });
    rmSync(file);
    await interrupted();
    service.states = [{}, { state: 'failed', error: { code: 'export.interrupted', detail: 'It was stopped.' } }, {}];
    let looks = 0;
    const failed = await run([], {
      delay: async () => {
        if (++looks === 1) service.states = [{ state: 'complete', rows: 7 }];
      },
    });
    expect(failed).toMatchObject({
      code: 0,
      err: expect.stringContaining('has failed: It was stopped. A new one begins.'),
    });
    expect([readFileSync(file), service.exports.size]).toEqual([exportedData, 0]);
  });

  it('never mixes two calls, services or formats in a file', async () => {
    await interrupted();
    const before = [note(), service.requests.length];
    const others = [await run([], {}, 'other'), await run(['--format', 'csv']), await run(['--sql', 'select 1'])];
    for (const { code, err } of others) {
      expect([code, err]).toEqual([
        2,
        expect.stringContaining('/api/endpoints/query/logs.all?format=parquet&project=p'),
      ]);
    }
    const elsewhere = await run(['--url', 'http://127.0.0.1:1']);
    expect([elsewhere.code, elsewhere.err]).toEqual([2, expect.stringContaining('is a part of another export')]);
    expect([note(), service.requests.length]).toEqual(before);
  });

  it('drops the other export with --restart', async () => {
    await interrupted();
    writeFileSync(`${file}.part`, 'of the first');
    const { code } = await run(['--restart'], {}, 'other');
    expect([code, readFileSync(file), begun(), service.exports.size]).toEqual([0, exportedData, 2, 0]);
  });

  it('leaves an export of another service alone with --restart, and tells that service no token', async () => {
    await interrupted();
    changeNote({ service: 'http://127.0.0.1:1', export: 'export-9' });
    expect((await run(['--restart'])).code).toBe(0);
    expect(service.requests.some((each) => each.includes('export-9'))).toBe(false);
  });

  it('waits for no process that writes the file, and takes over from one that ended', async () => {
    await interrupted();
    changeNote({ process: { host: hostname(), id: process.ppid } });
    for (const flags of [[], ['--restart']]) {
      const { code, err } = await run(flags);
      expect([code, err]).toEqual([1, expect.stringContaining(`The process ${process.ppid} is writing ${file}.`)]);
    }
    const { pid } = spawnSync(process.execPath, ['--version']);
    changeNote({ process: { host: hostname(), id: pid } });
    expect([(await run()).code, begun()]).toEqual([0, 1]);
  });

  it.skipIf(!existsSync('/proc/self/stat'))('takes over from a process that was killed and not collected', async () => {
    await interrupted();
    // The shell becomes a program that never waits for its child.
    const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [line] = (await once(parent.stdout, 'data')) as [Buffer];
      const id = Number(line.toString());
      await expect.poll(() => readFileSync(`/proc/${id}/stat`, 'utf8')).toContain(') Z ');
      changeNote({ process: { host: hostname(), id } });
      expect([(await run()).code, begun()]).toEqual([0, 1]);
    } finally {
      parent.kill();
    }
  });

  it('goes on after a wrong token', async () => {
    await interrupted();
    service.isKnown = false;
    const { code, err } = await run();
    expect([code, err]).toEqual([1, expect.stringContaining('[auth.invalid]\nRun the same command again')]);
    service.isKnown = true;
    expect([(await run()).code, begun()]).toEqual([0, 1]);
  });

  it('writes through no link that someone put in place of the part', async () => {
    await interrupted();
    const target = join(folder, 'target');
    writeFileSync(target, 'theirs');
    symlinkSync(target, `${file}.part`);
    changeNote({ entity_tag: '"tag"' });
    expect((await run()).code).toBe(1);
    expect(readFileSync(target, 'utf8')).toBe('theirs');
  });

  it('refuses a note that is not its own', async () => {
    writeFileSync(`${file}.part.json`, '{"export": 1}');
    const { code, err } = await run();
    expect([code, err, service.requests]).toEqual([
      2,
      expect.stringContaining('is not a note of "logmill export"'),
      [],
    ]);
  });

  it('says what to do if it is stopped before the service has answered', async () => {
    let words = '';
    service.refusal = { code: 'query.overloaded', status: 503 };
    await run([], {
      onInterrupt: (lastWords) => {
        words = lastWords();
        return () => undefined;
      },
    });
    expect(words).toContain('"logmill exports list" shows whether an export has begun');
    expect(leftOver()).toEqual([]);
  });
});

describe('logmill exports', () => {
  const exportsOf = (...args: string[]) => runCommandLine({ url, adminToken: 't' }, ['exports', ...args]);

  it('lists the exports of the token', async () => {
    await interrupted();
    expect((await exportsOf('list')).out).toMatch(/export-1 .*logs\.all .*parquet .*running .*10 bytes/);
    expect(JSON.parse((await exportsOf('list', '--json')).out)).toMatchObject([{ id: 'export-1', state: 'running' }]);
  });

  it('downloads one in any format, goes on with it, and keeps it on the service', async () => {
    await interrupted();
    const copy = join(folder, 'copy.csv');
    const args = ['download', 'export-1', '--format', 'csv', '--csv-guard', '--out', copy];
    service.breaks = Array.from({ length: 30 }, () => 1000);
    const broken = await exportsOf(...args);
    expect([broken.code, broken.err]).toEqual([1, expect.stringContaining('Run the same command again')]);
    service.breaks = [];
    const whole = await exportsOf(...args);
    expect([whole.code, whole.err, readFileSync(copy)]).toEqual([0, `7 rows in ${copy}\n`, exportedData]);
    expect(service.requests.at(-1)).toContain('/api/exports/export-1/data?format=csv&csv_guard=true bytes=1000-');
    expect([service.exports.size, (await exportsOf('download', 'export-9', '-o', `${copy}2`)).err]).toEqual([
      1,
      expect.stringContaining('[export.unknown]'),
    ]);
    expect(leftOver()).toEqual(['copy.csv', 'rows.parquet.part.json']);
  });

  it('deletes several', async () => {
    await interrupted();
    await interrupted(1, ['-o', join(folder, 'other')]);
    const { code, out } = await exportsOf('delete', 'export-1', 'export-2');
    expect([code, out]).toEqual([0, 'Deleted the export export-1.\nDeleted the export export-2.\n']);
    expect(service.exports.size).toBe(0);
    expect((await exportsOf('delete', 'export-1')).err).toContain('[export.unknown]');
  });
});
