// npm run soak: installs missing packages, builds if necessary, and puts load on the built service for a long time
// while faults are injected. With --cluster, on several nodes with PostgreSQL and ClickHouse, which are installed if they are
// missing. Arguments go to test/soak/soak.ts.
import { installClickHouse } from './installClickHouse.mjs';
import { buildIfNeeded, fail, installIfNeeded, requireNode, run, tool } from './project.mjs';

requireNode();
const args = process.argv.slice(2);
installIfNeeded();
if (args.includes('--cluster')) {
  const failure = installClickHouse();
  if (failure !== null) fail(failure);
}
buildIfNeeded();
process.exit(run(tool('tsx'), ['test/soak/soak.ts', ...args]));
