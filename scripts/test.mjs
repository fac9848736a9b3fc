// npm test: installs what is missing, builds what is stale, runs every test. Arguments go to vitest.
import { buildIfNeeded, installIfNeeded, requireNode, run, tool } from './project.mjs';

requireNode();
installIfNeeded();
// The acceptance tests run the built command.
buildIfNeeded();
process.exit(run(tool('vitest'), ['run', ...process.argv.slice(2)]));
