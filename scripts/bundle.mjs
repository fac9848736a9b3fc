// Bundles src/ and its packages into the folder given as argument: a file for each process, and the parts that the command
// is split into (decision 41), and the console. `npm run check` checks types; this does not. Further arguments, `NAME=SOURCE` each, name other
// processes to bundle: tests build their own processes in the same way (test/support/builtProcesses.ts).
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { bundleConsole } from './bundleConsole.mjs';
import { root } from './project.mjs';
import { writeCodeCache } from './writeCodeCache.mjs';

const [outdir, ...named] = process.argv.slice(2);

const processes =
  named.length > 0
    ? Object.fromEntries(named.map((each) => each.split('=')))
    : {
        'cli/main': 'src/cli/main.ts',
        'engine/main': 'src/engines/duckdb/process/engineMain.ts',
        'redact/main': 'src/redact/thread/redactingMain.ts',
      };

/**
 * Packages that stay where they are installed: native modules and WebAssembly, which have files next to their code, and
 * code that a separate thread loads.
 */
const external = ['@duckdb/node-bindings', 'libsql', 'farmhash-modern', 'zstddec'];

/** The engine is one file in CommonJS, because Node takes a quarter of its start to find and link parts (decision 126). */
const isWhole = (name) => name === 'engine/main';

/** The entry that starts the engine with its code cache, and the one that writes the cache. */
const ofCodeCache = {
  'engine/cached': 'src/engines/duckdb/process/cachedMain.ts',
  'engine/recording': 'src/engines/duckdb/process/recordingMain.ts',
};

const options = {
  absWorkingDir: root,
  outdir,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  sourcemap: true,
  external,
  metafile: true,
  logLevel: 'warning',
};
const parted = await build({
  ...options,
  // Parts are one folder below dist/, like the entries, because code finds the package's folder from its own location.
  entryPoints: processesThat((name) => !isWhole(name)),
  chunkNames: 'parts/[name]-[hash]',
  splitting: true,
  format: 'esm',
  // Packages in the older module format load Node's own modules with require.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
});
requireNames(parted.metafile);
const hasEngine = Object.keys(processes).some(isWhole);
const whole = await build({
  ...options,
  entryPoints: hasEngine ? { ...processesThat(isWhole), ...ofCodeCache } : {},
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  // It would be empty.
  logOverride: { 'empty-import-meta': 'error' },
});
if (hasEngine) {
  const inEngine = (name) => join(outdir, 'engine', name);
  const recorder = inEngine('recording.cjs');
  await writeCodeCache(recorder, inEngine('main.cjs'), inEngine('main.cache'));
  for (const file of [recorder, `${recorder}.map`]) rmSync(file);
}
const ofConsole = named.length > 0 ? [] : await bundleConsole(outdir);
const packages = [parted, whole].flatMap(({ metafile }) => bundledPackages(metafile));
writeFileSync(join(outdir, 'third-party-licences.txt'), licencesOf([...new Set([...packages, ...ofConsole])].sort()));

/** Those of the processes whose names fit, each with its source. */
function processesThat(fits) {
  return Object.fromEntries(Object.entries(processes).filter(([name]) => fits(name)));
}

/**
 * Fails if a dynamic import leads to a CommonJS package: the bundle gives it no names, so what runs from the sources would
 * fail when built.
 */
function requireNames({ outputs }) {
  const nameless = Object.values(outputs).flatMap(({ entryPoint, exports }) =>
    entryPoint?.includes('node_modules/') && exports.join() === 'default' ? [entryPoint] : [],
  );
  if (nameless.length === 0) return;
  throw new Error(`import these through a module that exports the names which are used: ${nameless.join(', ')}`);
}

/** Folders of the packages whose code is in the bundle. */
function bundledPackages({ outputs }) {
  const files = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs));
  const folders = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}

/** Licence texts that must be distributed with copies. */
function licencesOf(folders) {
  return folders
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
      const texts = readdirSync(join(root, folder))
        .filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
        .map((file) => readFileSync(join(root, folder, file), 'utf8').trim());
      return [`==== ${name} ${version} (${license})`, ...texts].join('\n\n');
    })
    .join('\n\n');
}
