// npm run check: everything that can be said about the sources without running the product.

import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { filesBelow, installIfNeeded, requireNode, root, run, tool } from './project.mjs';

requireNode();
installIfNeeded();

const folders = ['src', 'console', 'test', 'bench', 'scripts'].filter(
  (name) => filesBelow(join(root, name)).length > 0,
);
const typescript = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
// By default it has four, and each checks again what several need.
const checkers = ['--checkers', String(Math.min(4, availableParallelism()))];

/** @type {readonly (readonly [string, string, readonly string[]])[]} */
const steps = [
  ['types', process.execPath, [typescript, '-p', 'tsconfig.json', '--noEmit', ...checkers]],
  ['types of the console', process.execPath, [typescript, '-p', 'console/tsconfig.json', '--noEmit', ...checkers]],
  ['lint, format and import order', tool('biome'), ['check', '--error-on-warnings']],
  ['lint with types', tool('oxlint'), ['--type-aware', '--deny-warnings', ...folders]],
  ['architecture', tool('tsx'), ['scripts/checkArchitecture.ts']],
  ['docs', tool('tsx'), ['scripts/docs.ts', '--check']],
  ['licences', tool('tsx'), ['scripts/checkLicences.ts']],
];

const failed = [];
for (const [name, command, args] of steps) {
  console.log(`\n== ${name}: ${[command, ...args].map((part) => part.replace(`${root}/`, '')).join(' ')}`);
  const started = Date.now();
  const code = existsSync(command) ? run(command, args) : 127;
  console.log(
    `   ${code === 0 ? 'passed' : `FAILED (exit code ${code})`} in ${((Date.now() - started) / 1000).toFixed(1)} s`,
  );
  if (code !== 0) failed.push(name);
}

console.log(
  `\ncheck: ${steps.length - failed.length} passed, ${failed.length} failed${failed.length ? ` (${failed.join(', ')})` : ''}`,
);
process.exit(failed.length === 0 ? 0 : 1);
