// Compiles src/ for a run of all tests, file by file, into a folder: JavaScript that Node loads itself. Tests would otherwise
// load it through Vite, which takes longer for each worker and each test project (decision 51).
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transform } from 'esbuild';
import { filesBelow, root } from './project.mjs';

const sources = join(root, 'src');

/** They belong to tests, which Vite loads. */
const ofTests = /\.(?:test|fixture|contract)\.ts$|\.d\.ts$|\/testing\//;

/** They say what is started of the product. If they are of its build, they start its built processes. */
const placedInBuild = ['engines/duckdb/host/engineCommand.ts', 'redact/thread/redactingProgram.ts'];

const relativeImport = /(\bfrom |\bimport |\bimport\()"(\.{1,2}\/[^"\n]+)\.ts"/g;

/** Each module finds files from the place of its source. Stack traces tell its lines. */
export async function compileSources(folder) {
  const files = filesBelow(sources).filter((file) => file.endsWith('.ts') && !ofTests.test(file));
  const known = new Set(files);
  await Promise.all(
    files.map(async (file) => {
      const name = relative(sources, file);
      const place = placedInBuild.includes(name) ? join(root, 'dist', 'parts', 'placed.js') : file;
      const { code } = await transform(readFileSync(file, 'utf8'), {
        loader: 'ts',
        format: 'esm',
        target: 'node20.19',
        sourcemap: 'inline',
        sourcesContent: false,
        sourcefile: file,
        define: {
          'import.meta.url': JSON.stringify(pathToFileURL(place).href),
          'import.meta.dirname': JSON.stringify(dirname(place)),
        },
      });
      const loadable = code.replace(relativeImport, (_text, before, path) => {
        if (!known.has(join(dirname(file), `${path}.ts`)))
          throw new Error(`${file} imports ${path}.ts, which is not compiled`);
        return `${before}"${path}.js"`;
      });
      const target = join(folder, name.replace(/ts$/, 'js'));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, loadable);
    }),
  );
}
