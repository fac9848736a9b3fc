import { createHash } from 'node:crypto';
import { readFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { codeCacheOf, compiled, readCodeCache, runModule } from './codeCache.ts';
import { encodeFrame } from './frames.ts';
import { connectPipe } from './pipe.ts';

/**
 * Entry of the engine process: states the digest of the program at the path that is its first argument (decision 49), and
 * runs it, with the code cache of the build if that fits (decision 126). The program gets the other arguments: the niceness,
 * and for a launched process the path of the socket to connect to.
 */
process.argv.splice(1, 1);
const program = process.argv[1] ?? '';
const digest = createHash('sha256').update(readFileSync(program)).digest('hex');
const stated = encodeFrame({ program: digest });
const [, , , path] = process.argv;
// Before the program runs, because one of another build may end at once.
if (path === undefined) {
  for (const part of stated) writeSync(3, part);
  run();
} else {
  connectPipe(path, stated, run);
}

function run(): void {
  const cached = readCodeCache(codeCacheOf(program), digest);
  if (cached === undefined) createRequire(program)(program);
  else runModule(program, compiled(program, cached.text, cached.code));
}
