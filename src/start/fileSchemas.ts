import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileSchemas } from '../http/services.ts';
import { shippedDefinitionsDir } from './packageInfo.ts';

/** Loads the JSON Schemas that ship with the product. `npm run docs` makes them from what checks the files. */
export function loadFileSchemas(): FileSchemas {
  const read = (file: string) => readFileSync(join(shippedDefinitionsDir, file), 'utf8');
  return { definition: read('schema.json'), test: read('test-schema.json') };
}
