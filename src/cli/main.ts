#!/usr/bin/env node

// Check this before loading anything else: older versions fail while loading, with an unhelpful error.
const { node } = process.versions;
const [major = 0, minor = 0] = node.split('.').map(Number);
if (major > 20 || (major === 20 && minor >= 19)) {
  await import('./runProcess.ts');
} else {
  process.stderr.write(
    `Logmill needs Node.js 20.19 or newer; this is ${node}. Install a newer version (https://nodejs.org/en/download) and run the command again.\n`,
  );
  process.exitCode = 1;
}
