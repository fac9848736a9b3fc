// Builds the console into the folder `console` of the folder that is given: part of `npm run build`.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { root } from './project.mjs';

/** Most bytes, compressed with gzip, that a browser loads before the first page can be used. */
const firstLoadBytesMax = 250 * 1024;

/** Licences that code in the bundle may have: it is distributed with the product. */
const licencesAllowed = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'BlueOak-1.0.0', '0BSD'];

/** Builds, and returns the folders of the packages whose code is in the bundle. Throws if it became too large. */
export async function bundleConsole(outdir) {
  const folder = join(outdir, 'console');
  // Whoever builds may have set another environment, such as the tests; React would then be its slower development form.
  process.env.NODE_ENV = 'production';
  const { output } = await build({
    configFile: join(root, 'console', 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: folder },
  });
  const bytes = firstLoadBytes(output, folder);
  if (bytes > firstLoadBytesMax) {
    throw new Error(`The console loads ${bytes} bytes first (gzip); at most ${firstLoadBytesMax} are allowed.`);
  }
  return packageFolders(output);
}

/** The page, its styles, and its script with everything that it imports at once. */
function firstLoadBytes(output, folder) {
  const chunks = new Map(output.filter(({ type }) => type === 'chunk').map((chunk) => [chunk.fileName, chunk]));
  const files = new Set(['index.html']);
  const take = (chunk) => {
    if (chunk === undefined || files.has(chunk.fileName)) return;
    files.add(chunk.fileName);
    for (const style of chunk.viteMetadata?.importedCss ?? []) files.add(style);
    for (const name of chunk.imports) take(chunks.get(name));
  };
  for (const chunk of chunks.values()) if (chunk.isEntry) take(chunk);
  for (const name of readFileSync(join(folder, 'index.html'), 'utf8').matchAll(/href="\.\/([^"]+\.css)"/g))
    files.add(name[1]);
  // The worker is loaded with the first rows.
  for (const name of readdirSync(join(folder, 'assets'))) if (/^rowsWorker/.test(name)) files.add(`assets/${name}`);
  let bytes = 0;
  for (const name of files) bytes += gzipSync(readFileSync(join(folder, name))).length;
  return bytes;
}

function packageFolders(output) {
  const modules = output.flatMap((file) => (file.type === 'chunk' ? Object.keys(file.modules) : []));
  const folders = modules.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  const found = [
    ...new Set(folders.filter((folder) => folder !== undefined && statSync(folder, { throwIfNoEntry: false }))),
  ];
  for (const folder of found) {
    const { name, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    if (!licencesAllowed.includes(license))
      throw new Error(`${name} has the licence ${license}, and is in the console.`);
  }
  return found.map((folder) => relative(root, folder));
}
