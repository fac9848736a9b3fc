// npm run test:clickhouse -- [--url http://host:8123] [--user name] [tests ...]: runs the suites of the ClickHouse engine. With
// --url they run against that server, otherwise against ClickHouse as a library, which is installed if it is missing. The
// password is read from CLICKHOUSE_PASSWORD. The suites create databases named test_... and drop them.
import { parseArgs } from 'node:util';
import { installClickHouse } from './installClickHouse.mjs';
import { buildIfNeeded, fail, installIfNeeded, requireNode, run, tool } from './project.mjs';

requireNode();
const { values, positionals } = parseArgs({
  options: { url: { type: 'string' }, user: { type: 'string' } },
  allowPositionals: true,
});
installIfNeeded();
if (values.url === undefined) {
  const failure = installClickHouse();
  if (failure !== null) fail(failure);
} else {
  await requireServer(values.url);
}
buildIfNeeded();
const env = { PUSHDOWN: 'whole', CLICKHOUSE_SUITES: 'whole', ...process.env };
if (values.url !== undefined) env.CLICKHOUSE_URL = values.url;
if (values.user !== undefined) env.CLICKHOUSE_USER = values.user;
const own = ['--project', 'processes', 'src/engines/clickhouse/', 'test/clickhouse/', 'test/engines/clickhouse'];
const shared = ['--project', 'clickhouse engine'];
const runs = positionals.length > 0 ? [positionals] : [own, shared];
const codes = runs.map((args) => run(tool('vitest'), ['run', ...args], { env }));
process.exit(Math.max(...codes));

/** Fails with a sentence if the server does not answer. Its user and password are tried by the suites. */
async function requireServer(url) {
  let reason;
  try {
    const response = await fetch(new URL('/ping', url), { signal: AbortSignal.timeout(10_000) });
    if (response.ok && (await response.text()) === 'Ok.\n') return;
    reason = `it answered ${response.status}`;
  } catch (error) {
    reason = error.cause?.message ?? error.message;
  }
  fail(
    `No ClickHouse answers at ${url}: ${reason}. Give the address of its HTTP interface, such as http://localhost:8123.`,
  );
}
