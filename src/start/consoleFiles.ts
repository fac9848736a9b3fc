import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { type BrowserFile, browserFile } from '../http/browserFiles.ts';
import { builtConsoleDir } from './packageInfo.ts';

/** By the end of the name. The build makes no others. */
const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
};

/**
 * Loads the files of the built console by their path below /console/: `index.html`, `assets/main-1a2b.js`. Empty if it
 * was not built. They stay in memory, so no path of a request ever reaches the file system.
 */
export function loadConsoleFiles(folder = builtConsoleDir): ReadonlyMap<string, BrowserFile> {
  if (!existsSync(join(folder, 'index.html'))) return new Map();
  return new Map(
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => {
        const path = join(parentPath, name);
        const mediaType = mediaTypes[extname(name)] ?? 'application/octet-stream';
        return [
          path.slice(folder.length + 1).replaceAll('\\', '/'),
          browserFile(mediaType, readFileSync(path)),
        ] as const;
      }),
  );
}
