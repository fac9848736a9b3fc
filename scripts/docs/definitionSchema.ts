import { z } from 'zod';
import { testFileFields } from '../../src/cli/endpointTests/testFileFields.ts';
import { definitionFileFields } from '../../src/endpoints/definitionFields.ts';

/** The JSON Schema of definition files, for editors. */
export function definitionSchema(): string {
  const schema = z.toJSONSchema(definitionFileFields, { io: 'input' });
  return `${JSON.stringify({ title: 'Definition of a Logmill endpoint', ...schema }, undefined, 2)}\n`;
}

/** The JSON Schema of files of tests, for editors. */
export function testFileSchema(): string {
  const schema = z.toJSONSchema(testFileFields, { io: 'input' });
  return `${JSON.stringify({ title: 'Tests of a Logmill endpoint', ...schema }, undefined, 2)}\n`;
}
