import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/core/clock.ts';
import { systemRandomness } from '../../../src/core/ids.ts';
import { openDuckDbStorage } from '../../../src/engines/duckdb/openDuckDbStorage.ts';
import { builtinSources } from '../../../src/sources/builtin.ts';
import { settingsSchema } from '../../../src/start/settings.ts';
import { type RunningService, startService } from '../../../src/start/startService.ts';
import { openDatabase } from '../../../src/stores/sqlite/database.ts';
import { migrations } from '../../../src/stores/sqlite/migrations/index.ts';
import { SqliteFileManifest } from '../../../src/stores/sqlite/sqliteFileManifest.ts';
import { type CommandResult, runOffline } from '../../support/commandLine.ts';

/** What the release that wrote the folder answered; README.md beside the fixture tells how it was made. */
interface Answers {
  readonly nowMicros: number;
  readonly adminToken: string;
  readonly calls: readonly {
    /** Behind `/api/endpoints/query/`. */
    readonly path: string;
    readonly token: string;
    readonly status: number;
    readonly result: readonly Readonly<Record<string, unknown>>[] | null;
  }[];
}

let folder: string;
let dataDir: string;
let answers: Answers;
let running: RunningService | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'logmill-old-folder-'));
  dataDir = join(folder, 'data');
  const fixture = join(import.meta.dirname, '..', '..', 'fixtures', 'old-data-folder', 'folder.tar.gz');
  execFileSync('tar', ['-xzf', fixture, '-C', folder]);
  answers = JSON.parse(readFileSync(join(folder, 'answers.json'), 'utf8'));
});
afterEach(async () => {
  await stop();
  rmSync(folder, { recursive: true });
});

async function start(): Promise<RunningService> {
  running = await startService({
    settings: settingsSchema.parse({ port: 0, dataDir, logLevel: 'silent', adminToken: answers.adminToken }),
    clock: new ManualClock(answers.nowMicros),
    randomness: systemRandomness,
    observe: () => undefined,
    demo: false,
    progress: () => undefined,
  });
  return running;
}

async function stop(): Promise<void> {
  await running?.close('end of the test');
  running = undefined;
}

/** Has what the old release left in the file that receives events written into a sealed one. */
async function rewriteEverything(): Promise<void> {
  const database = await openDatabase(dataDir);
  const storage = await openDuckDbStorage({
    dataDir,
    clock: new ManualClock(answers.nowMicros),
    randomness: systemRandomness,
    observe: () => undefined,
    sources: builtinSources,
    manifest: new SqliteFileManifest(database),
  });
  await storage.sealNow();
  await storage.close();
  const sealed = await new SqliteFileManifest(database).load();
  expect(sealed.length).toBeGreaterThan(1);
  await database.destroy();
}

async function call({ url }: RunningService, { path, token }: { readonly path: string; readonly token: string }) {
  const response = await fetch(`${url}/api/endpoints/query/${path}`, { headers: { 'x-api-key': token } });
  const body = (await response.json()) as { readonly result?: Answers['calls'][number]['result'] };
  return { path, token, status: response.status, result: body.result ?? null };
}

describe('a data folder of the first format, left by a killed process', () => {
  it('answers every call as the release that wrote it did, at first and after everything was rewritten', async () => {
    expect(answers.calls.length).toBeGreaterThan(15);
    let service = await start();
    for (const expected of answers.calls) expect(await call(service, expected)).toEqual(expected);
    await stop();
    await rewriteEverything();
    service = await start();
    for (const expected of answers.calls) expect(await call(service, expected)).toEqual(expected);
  });

  it('tells old events of one time apart by their ids, and from new ones, which came later', async () => {
    let service = await start();
    const project = 'amberfieldstream';
    const sql = (order: string) =>
      `logs.all?project=${project}&sql=${encodeURIComponent(`select id, event_message as m from edge_logs where timestamp = (select max(timestamp) from edge_logs) order by ${order}`)}`;
    const rowsOf = async (order: string) =>
      (await call(service, { path: sql(order), token: answers.adminToken })).result?.map(({ id }) => id);
    const newest = (await call(service, { path: `logs.all?project=${project}`, token: answers.adminToken }))
      .result?.[0];
    const old = await rowsOf('id');
    const timestamp = newest?.timestamp;
    const fresh = ['~', '!', 'k', ''].map((mark) => ({ id: `${mark}new`, timestamp, project, event_message: 'new' }));
    const sent = await fetch(`${service.url}/api/logs?source=edge_logs`, {
      method: 'POST',
      headers: { 'x-api-key': answers.adminToken, 'content-type': 'application/json' },
      body: JSON.stringify(fresh),
    });
    expect(await sent.json()).toMatchObject({ accepted: 4 });
    const check = async () => {
      const rows = [...(old ?? []), ...fresh.map(({ id }) => id)];
      expect(await rowsOf('timestamp')).toEqual(rows);
      expect(await rowsOf('timestamp desc')).toEqual(rows.toReversed());
    };
    await check();
    await stop();
    await rewriteEverything();
    service = await start();
    await check();
  });

  it('has the migrations of this release, and takes new events beside the old ones, each once', async () => {
    const service = await start();
    const headers = { 'x-api-key': answers.adminToken, 'content-type': 'application/json' };
    const send = async (events: readonly object[], key: string) => {
      const response = await fetch(`${service.url}/api/logs?source=edge_logs`, {
        method: 'POST',
        headers: { ...headers, 'idempotency-key': key },
        body: JSON.stringify(events),
      });
      return { status: response.status, body: await response.json() };
    };
    const project = 'amberfieldstream';
    const timestamp = answers.nowMicros;
    const fresh = {
      id: 'new-1',
      timestamp,
      project,
      event_message: 'new',
      metadata: { response: { status_code: 204 } },
    };
    expect(await send([fresh], 'new-batch')).toMatchObject({ status: 200, body: { accepted: 1 } });
    const counted = `logs.all?project=${project}&sql=select count(*) as events, max(id) as last from edge_logs`;
    expect((await call(service, { path: counted, token: answers.adminToken })).result).toEqual([
      { events: 26, last: 'old-edge_logs-8' },
    ]);
    const status = `old.by-status?project=${project}`;
    expect((await call(service, { path: status, token: answers.adminToken })).result).toContainEqual({
      status: 204,
      requests: 1,
    });
    // A batch of the old release that its sender repeats is known by its key: with other bytes it is refused.
    expect(await send([fresh], 'batch-edge_logs-40')).toMatchObject({ status: 422 });
    await stop();

    const database = await openDatabase(dataDir);
    const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(database);
    expect(rows.map(({ name }) => name)).toEqual(Object.keys(migrations));
    await database.destroy();
  });
});

describe('a data folder of a newer release', () => {
  it('is refused by a sentence, by the service and by commands on the folder, and left as it is', async () => {
    await start();
    await stop();
    const database = await openDatabase(dataDir);
    await sql`insert into kysely_migration (name, timestamp) values ('9999_later', '')`.execute(database);
    await database.destroy();
    const events = readdirSync(join(dataDir, 'events')).sort();
    for (const command of [
      ['serve', '--port', '0'],
      ['tokens', 'list'],
    ]) {
      const { code, err } = await logmill([...command, '--data-dir', dataDir]);
      expect([code, err]).toEqual([
        1,
        'store.sqlite was written by a newer version of Logmill (it has the migration 9999_later); start that version, or use another data folder.\n',
      ]);
    }
    expect(readdirSync(join(dataDir, 'events')).sort()).toEqual(events);
  });

  it('is refused by a sentence where an event file has a version that the engine does not know', async () => {
    const path = join(dataDir, 'events', 'sealed-1.duckdb');
    const file = readFileSync(path);
    expect(headerChecksum(file)).toBe(file.readBigUInt64LE(0));
    file.writeBigUInt64LE(file.readBigUInt64LE(versionAt) + 100n, versionAt);
    file.writeBigUInt64LE(headerChecksum(file), 0);
    writeFileSync(path, file);
    const { code, err } = await logmill(['serve', '--port', '0', '--data-dir', dataDir]);
    expect([code, err]).toEqual([
      1,
      'sealed-1.duckdb was written by a newer version of Logmill, whose segments this one cannot read; start that version, or use another data folder.\n',
    ]);
    expect(readdirSync(join(dataDir, 'events'))).toContain('sealed-1.duckdb');
  });
});

/** Where the main header of a file of the engine has its version: after its checksum and `DUCK`. */
const versionAt = 12;

/** The engine's checksum of the main header, which is the file's first 4096 bytes and begins with it. */
function headerChecksum(file: Buffer): bigint {
  const mask = 2n ** 64n - 1n;
  let sum = 5381n;
  for (let at = 8; at < 4096; at += 8) {
    sum ^= (file.readBigUInt64LE(at) * 0xbf58476d1ce4e5b9n) & mask;
  }
  return sum;
}

async function logmill(args: readonly string[]): Promise<CommandResult> {
  return await runOffline(args, answers.nowMicros);
}
