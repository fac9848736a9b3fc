import { expect, it } from 'vitest';
import { callErrors } from './endpointOperations.ts';
import { managementOperations } from './managementOperations.ts';

/** ports/queryEngine.ts. */
const ofEngines = [
  'sql.data',
  'query.timeout',
  'query.memory',
  'query.fetch_max',
  'engine.failed',
  'engine.restarting',
] as const;

it.each(ofEngines)('calls and trial runs of endpoints are described with %s, which every engine may answer', (code) => {
  expect(callErrors).toContain(code);
  expect(managementOperations['endpoints.run']?.errors).toContain(code);
});
