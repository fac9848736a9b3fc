import { defineConfig } from 'vite';

/** How the console is built. Paths are relative, because a proxy may serve the whole below a path of its own. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  cacheDir: '../node_modules/.vite-console',
  build: {
    target: ['chrome123', 'firefox128', 'safari17.5'],
    modulePreload: { polyfill: false },
    // Nothing is inlined: the content security policy admits files only.
    assetsInlineLimit: 0,
    sourcemap: false,
    reportCompressedSize: false,
    emptyOutDir: true,
    rolldownOptions: {
      onwarn(warning, warn) {
        // Marks for servers, in packages that also run there.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
  worker: { format: 'es' },
});
