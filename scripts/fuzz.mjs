// npm run fuzz: installs what is missing, builds what is stale, feeds both hostile input. Arguments go to test/fuzz/fuzz.ts.
import { buildIfNeeded, installIfNeeded, requireNode, run, tool } from './project.mjs';

requireNode();
installIfNeeded();
buildIfNeeded();
process.exit(run(tool('tsx'), ['test/fuzz/fuzz.ts', ...process.argv.slice(2)]));
