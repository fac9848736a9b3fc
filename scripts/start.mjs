// npm start, npm run serve: installs what is missing, builds what is stale, then serves.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { buildIfNeeded, installIfNeeded, requireNode, root } from './project.mjs';

requireNode();
installIfNeeded();
buildIfNeeded();

const service = spawn(process.execPath, [join(root, 'dist', 'cli', 'main.js'), 'serve', ...process.argv.slice(2)], {
  stdio: 'inherit',
});
// A terminal sends Ctrl-C to the whole group; the service ends itself in phases and this process waits for it.
// A signal sent to this process alone is passed on.
process.on('SIGINT', () => {
  if (!process.stdin.isTTY) service.kill('SIGINT');
});
process.on('SIGTERM', () => service.kill('SIGTERM'));
process.on('SIGHUP', () => service.kill('SIGHUP'));
service.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1));
