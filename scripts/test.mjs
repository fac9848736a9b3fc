// npm test: installs what is missing, builds what is stale, runs every test. Arguments go to vitest.
import { clickHouseFolder, installClickHouse, isClickHouseInstalled } from './installClickHouse.mjs';
import { buildIfNeeded, installIfNeeded, requireNode, run, tool } from './project.mjs';

requireNode();
installIfNeeded();
if (!isClickHouseInstalled()) {
  console.log(`Installing ClickHouse for tests (550 MB, once) in ${clickHouseFolder()} ...`);
  const failure = installClickHouse();
  if (failure !== null) console.warn(`${failure}\nTests that need ClickHouse are left out.`);
}
// The acceptance tests run the built command.
buildIfNeeded();
process.exit(run(tool('vitest'), ['run', ...process.argv.slice(2)]));
