// npm run bench: installs what is missing, builds what is stale, measures the built product. Arguments go to bench/bench.ts,
// those after "growth" to bench/growth.ts.
import { buildIfNeeded, installIfNeeded, requireNode, run, tool } from './project.mjs';

requireNode();
installIfNeeded();
buildIfNeeded();
const [first, ...rest] = process.argv.slice(2);
const what = first === 'growth' ? ['bench/growth.ts', ...rest] : ['bench/bench.ts', ...process.argv.slice(2)];
process.exit(run(tool('tsx'), what));
