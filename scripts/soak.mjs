// npm run soak: installs what is missing, builds what is stale, loads the built service for a long time while it is
// killed, starved and lied to. Arguments go to test/soak/soak.ts.
import { buildIfNeeded, installIfNeeded, requireNode, run, tool } from './project.mjs';

requireNode();
installIfNeeded();
buildIfNeeded();
process.exit(run(tool('tsx'), ['test/soak/soak.ts', ...process.argv.slice(2)]));
