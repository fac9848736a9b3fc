// npm run soak: installs missing packages, builds if necessary, and puts load on the built service for a long time
// while faults are injected. Arguments go to test/soak/soak.ts.
import { buildIfNeeded, installIfNeeded, requireNode, run, tool } from './project.mjs';

requireNode();
installIfNeeded();
buildIfNeeded();
process.exit(run(tool('tsx'), ['test/soak/soak.ts', ...process.argv.slice(2)]));
