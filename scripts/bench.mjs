// npm run bench: installs missing packages, builds if necessary, and measures the built product. Without the name of a
// part, runs the whole suite of bench/suite/suite.ts. Arguments after a name are for its file; without a name, for the
// suite.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { installClickHouse } from './installClickHouse.mjs';
import { buildIfNeeded, fail, installIfNeeded, requireNode, root, run } from './project.mjs';

requireNode();
installIfNeeded();
buildIfNeeded();
const [first, ...rest] = process.argv.slice(2);
const suite = 'bench/suite/suite.ts';
/** The file of each part, and the arguments that it gets first. */
const parts = {
  growth: ['bench/growth.ts'],
  crash: ['bench/crashStart.ts'],
  cache: ['bench/cacheHits.ts'],
  callers: ['bench/callers.ts'],
  abuse: ['bench/abuse.ts'],
  many: ['bench/manyDefinitions.ts'],
  ingestion: ['bench/ingestion.ts'],
  statements: ['bench/writeStatements.ts'],
  page: ['bench/suite/page.ts'],
  streams: ['bench/streams.ts'],
  tails: ['bench/tails.ts'],
  console: ['bench/consoleTimes.ts'],
  clickhouse: ['bench/clickhouse.ts'],
  day: [suite, '--only', 'day', '--events', '1000000'],
};
if (first !== undefined && !first.startsWith('-') && !(first in parts)) {
  fail(
    `There is no part "${first}". The parts are ${Object.keys(parts).join(', ')}. Name no part to run the whole suite.`,
  );
}
const [file, ...args] = first in parts ? [...parts[first], ...rest] : [suite, ...process.argv.slice(2)];
if (first === 'clickhouse') {
  const failure = installClickHouse();
  if (failure !== null) fail(failure);
}
// In a place from which packages are found like from the sources.
const folder = join(root, 'node_modules', '.cache', `logmill-bench-${process.pid}`);
const bundle = join(folder, 'bench.mjs');
mkdirSync(folder, { recursive: true });
const isBuilt = run(process.execPath, [join(root, 'scripts', 'bundleBench.mjs'), file, bundle]) === 0;
if (isBuilt) process.exitCode = run(process.execPath, ['--enable-source-maps', bundle, ...args]);
rmSync(folder, { recursive: true, force: true });
if (!isBuilt) fail('The benchmark program could not be built. The messages are above.');
