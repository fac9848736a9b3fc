// Bundles a file of bench/ and what it imports of src/ as the product is bundled (bundle.mjs): what a measurement runs of
// the product in its own process must be what the product runs, not sources through a loader, which took up to twice
// the processor time. The engine's process is that of the built product.
import { readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from './project.mjs';

const [entry, outfile] = process.argv.slice(2);

/** Files of the product take themselves for a part of the built product, others for what lies where their source lies. */
const whereTheyLie = {
  name: 'where-they-lie',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const isProduct = path.startsWith(join(root, 'src') + sep);
      const seen = isProduct ? join(root, 'dist', 'parts', 'bench.js') : path;
      const contents = readFileSync(path, 'utf8')
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(seen).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(seen)));
      return { contents, loader: 'ts' };
    });
  },
};

await build({
  absWorkingDir: root,
  entryPoints: [entry],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  packages: 'external',
  sourcemap: 'inline',
  plugins: [whereTheyLie],
  logLevel: 'warning',
});
