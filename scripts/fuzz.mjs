// npm run fuzz: installs missing packages, builds if necessary, and sends random input to the service. Arguments go to
// test/fuzz/fuzz.ts.
import { buildIfNeeded, installIfNeeded, requireNode, run, tool } from './project.mjs';

requireNode();
installIfNeeded();
buildIfNeeded();
process.exit(run(tool('tsx'), ['test/fuzz/fuzz.ts', ...process.argv.slice(2)]));
