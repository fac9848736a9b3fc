import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);

/**
 * Compiles files as a project of someone who uses the client, strictly, and returns the folder of the results. `types`: packages
 * of types that it uses. Rejects with what the compiler says if that fails.
 */
export async function compileClient(
  project: string,
  files: Readonly<Record<string, string>>,
  types: readonly string[] = [],
): Promise<string> {
  mkdirSync(project, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(project, file), text);
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  const compilerOptions = {
    target: 'ES2022',
    module: 'NodeNext',
    lib: ['ES2022', 'DOM'],
    types,
    typeRoots: [join(root, 'node_modules', '@types')],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noUnusedLocals: true,
    erasableSyntaxOnly: true,
    rewriteRelativeImportExtensions: true,
    outDir: 'out',
    rootDir: '.',
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  await run(process.execPath, [tsc, '-p', project]).catch((error: { readonly stdout?: string }) => {
    throw new Error(error.stdout ?? String(error));
  });
  return join(project, 'out');
}
