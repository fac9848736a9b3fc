// Bundles a file of bench/ and its imports of src/ like the product (bundle.mjs). A measurement must run the same code
// as the product: sources through a loader took up to twice the processor time. The engine process is that of the built
// product.
import { readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from './project.mjs';

const [entry, outfile] = process.argv.slice(2);

/**
 * Files of the product locate themselves as a part of the built product, other files by the location of their source.
 */
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
