import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { codeCacheOf, compiled, encodeCodeCache, runModule, wrapped } from './codeCache.ts';

/**
 * Entry of the process that a build starts to write the code cache of a program: runs the program, and stores the code of
 * the functions that it has used by its end. V8 compiles other functions when they are called.
 */
process.argv.splice(1, 1);
const program = process.argv[1] ?? '';
const source = readFileSync(program);
const text = wrapped(source.toString('utf8'));
const script = compiled(program, text);
process.on('exit', (status) => {
  if (status !== 0) return;
  const digest = createHash('sha256').update(source).digest('hex');
  writeFileSync(codeCacheOf(program), encodeCodeCache(digest, { text, code: script.createCachedData() }));
});
runModule(program, script);
