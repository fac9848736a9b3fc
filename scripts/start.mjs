// npm start, npm run serve: installs what is missing, builds what is stale, then serves.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildIfNeeded, installIfNeeded, requireNode, root } from './project.mjs';

requireNode();
installIfNeeded();
buildIfNeeded();

// In this process, so that a signal for it is a signal for the service.
const command = join(root, 'dist', 'cli', 'main.js');
process.argv = [process.execPath, command, 'serve', ...process.argv.slice(2)];
await import(pathToFileURL(command).href);
