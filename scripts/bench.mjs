// npm run bench: installs what is missing, builds what is stale, measures the built product. Arguments go to bench/bench.ts.
import { buildIfNeeded, installIfNeeded, requireNode, run, tool } from './project.mjs';

requireNode();
installIfNeeded();
buildIfNeeded();
process.exit(run(tool('tsx'), ['bench/bench.ts', ...process.argv.slice(2)]));
