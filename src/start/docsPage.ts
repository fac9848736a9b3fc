import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DocsPage } from '../http/services.ts';
import { shippedPagesDir } from './packageInfo.ts';

/** Loads the reference page that ships with the product. */
export function loadDocsPage(): DocsPage {
  const read = (file: string) => readFileSync(join(shippedPagesDir, file), 'utf8');
  return { page: read('docs.html'), script: read('docs.js'), style: read('docs.css'), icon: read('docs.svg') };
}
