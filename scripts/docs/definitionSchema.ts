import { z } from 'zod';
import { definitionFileFields } from '../../src/endpoints/definitionFields.ts';

/** The JSON Schema of definition files, for editors. */
export function definitionSchema(): string {
  const schema = z.toJSONSchema(definitionFileFields, { io: 'input' });
  return `${JSON.stringify({ title: 'Definition of a Logmill endpoint', ...schema }, undefined, 2)}\n`;
}
