import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  architectureProblems,
  databaseOpeners,
  engineImporters,
  environmentReaders,
  importCircles,
  importExceptions,
  otherFilesOpened,
} from './architecture.ts';
import { moduleStates } from './moduleState.ts';

const root = join(import.meta.dirname, '..');

function below(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? below(path) : [path];
  });
}

const files = ['src', 'console', 'test', 'bench', 'scripts']
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap(below)
  .filter((file) => /\.(tsx?|mjs)$/.test(file));
const problems = architectureProblems(new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')])));
for (const problem of problems) console.error(`   ${problem}`);
for (const { file, room, why } of importExceptions) console.log(`   meant: ${file} imports ${room}: ${why}`);
for (const { files, why } of importCircles) console.log(`   meant: ${files.join(', ')} import one another: ${why}`);
for (const { file, why } of environmentReaders) console.log(`   meant: ${file} reads process.env: ${why}`);
for (const { file, why } of engineImporters) console.log(`   meant: ${file} imports an engine: ${why}`);
for (const { file, why } of databaseOpeners) console.log(`   meant: ${file} imports libsql: ${why}`);
for (const { file, why } of otherFilesOpened) console.log(`   meant: ${file} opens files: ${why}`);
for (const { file, name, why } of moduleStates) console.log(`   meant: ${file} keeps ${name}: ${why}`);
console.log(`   ${files.length} files, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
