import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

/** The folder that holds package.json: two above this file, both in src/ and in dist/. */
const packageDir = join(import.meta.dirname, '..', '..');

/** Folder of the shipped definitions. */
export const shippedDefinitionsDir = join(packageDir, 'definitions');

/** Folder of the shipped browser pages. */
export const shippedPagesDir = join(packageDir, 'pages');

/** Folder of the built console; missing before the first build. */
export const builtConsoleDir = join(packageDir, 'dist', 'console');

/** The version of the product, from package.json. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8'));
  return z.object({ version: z.string() }).parse(manifest).version;
}
