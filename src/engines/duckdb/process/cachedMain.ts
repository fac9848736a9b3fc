import { createRequire } from 'node:module';
import { codeCacheOf, compiled, readCodeCache, runModule } from './codeCache.ts';

/**
 * Entry of the built engine process: runs the program at the path that is its first argument, with the code cache of the
 * build if it fits (decision 126). The last argument is the digest of the program, which the service has computed. The
 * program gets the other arguments.
 */
process.argv.splice(1, 1);
const program = process.argv[1] ?? '';
const cached = readCodeCache(codeCacheOf(program), process.argv.at(-1) ?? '');
if (cached === undefined) createRequire(program)(program);
else runModule(program, compiled(program, cached.text, cached.code));
