// The process that runs ClickHouse (chdb). Takes one request at a time from its parent and answers with the request's id.
// Every request has a connection of its own, unless it names a session: what a statement leaves behind, such as settings or
// rows of a failed answer, ends with the connection. Results go to files that the statement names, never through the library's
// shared buffer; what comes out of that buffer all the same is reported, so that the parent can reject it.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [packageFolder, dataFolder, configFile] = process.argv.slice(2);
const require = createRequire(join(packageFolder, 'package.json'));
const chdbRequire = createRequire(require.resolve('chdb'));
const native = chdbRequire('./dist/loader.js').loadNative();
const open = () => native.CreateConnection(dataFolder, [`--config-file=${configFile}`]);

// The engine ends with its last connection, so one stays open; it also reads the counters.
const own = open();
const sessions = new Map();

async function handle({ id, session, prelude, settingsToRestore, statement, params, close }) {
  if (close !== undefined) {
    closeSession(close);
    return { id, ok: true };
  }
  const connection = session === null ? open() : (sessions.get(session) ?? open());
  if (session !== null) sessions.set(session, connection);
  let restore = [];
  try {
    if (session !== null) restore = await currentSettings(connection, settingsToRestore);
    for (const text of prelude) await native.QueryAsyncConnection(connection, text, 'TabSeparated', {});
    const started = process.hrtime.bigint();
    // What preparing has read does not count.
    if (session !== null) await countedSinceLast();
    const { bytes, rowsRead, bytesRead } = await native.QueryAsyncConnection(
      connection,
      statement,
      'TabSeparated',
      params,
    );
    const elapsedNs = String(process.hrtime.bigint() - started);
    const counted = await countedSinceLast();
    return { id, ok: true, strayBytes: bytes.length, rows: rowsRead, bytes: bytesRead, elapsedNs, ...counted };
  } catch (error) {
    await countedSinceLast();
    return { id, ok: false, message: error.message };
  } finally {
    if (session === null) native.CloseConnection(connection);
    else for (const text of restore) await native.QueryAsyncConnection(connection, text, 'TabSeparated', {});
  }
}

/** Statements that give a connection its present settings back. */
async function currentSettings(connection, names) {
  if (names.length === 0) return [];
  const list = names.map((name) => `'${name}'`).join(',');
  const statement = `SELECT name, value, changed FROM system.settings WHERE name IN (${list})`;
  const { bytes } = await native.QueryAsyncConnection(connection, statement, 'JSONCompactEachRow', {});
  const lines = Buffer.from(bytes).toString().split('\n');
  return lines
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .map(([name, value, changed]) => {
      const text = value.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
      return `SET ${name} = ${changed === 1 ? `'${text}'` : 'DEFAULT'}`;
    });
}

function closeSession(name) {
  const connection = sessions.get(name);
  if (connection === undefined) return;
  sessions.delete(name);
  native.CloseConnection(connection);
}

/** What all queries have read and written so far. Reading it is counted as well, by the next time. */
async function counters() {
  const statement = 'SELECT event, value, length(event) + length(description) + 24 FROM system.events';
  const { bytes } = await native.QueryAsyncConnection(own, statement, 'TabSeparated', {});
  const all = new Map();
  let ownBytes = 0;
  for (const line of Buffer.from(bytes).toString().split('\n')) {
    const [name, value, lineBytes] = line.split('\t');
    if (value === undefined) continue;
    all.set(name, Number(value));
    ownBytes += Number(lineBytes);
  }
  return { all, ownRows: all.size, ownBytes };
}

/** What has been read and written since the last time, without the reading of the counters. */
async function countedSinceLast() {
  const before = lastCounters;
  lastCounters = await counters();
  const grown = (name) => (lastCounters.all.get(name) ?? 0) - (before.all.get(name) ?? 0);
  return {
    readRows: grown('SelectedRows') - before.ownRows,
    readBytes: grown('SelectedBytes') - before.ownBytes,
    writtenRows: grown('InsertedRows'),
    writtenBytes: grown('InsertedBytes'),
  };
}

let last = Promise.resolve();
process.on('message', (request) => {
  last = last.then(async () => {
    process.send(await handle(request));
  });
});
// Its parent has ended. The library does not survive an orderly exit, so there is none.
process.on('disconnect', () => process.reallyExit(0));
const { bytes } = await native.QueryAsyncConnection(own, 'SELECT version()', 'TabSeparated', {});
let lastCounters = await counters();
process.send({ ready: true, version: Buffer.from(bytes).toString().trim() });
