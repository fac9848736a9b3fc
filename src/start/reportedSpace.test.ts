import { expect, it } from 'vitest';
import { reportedSpace } from './reportedSpace.ts';

it.each([
  ['{"status":"ok","ingestion":"ingest.disk_full","sealing":"service.disk_full"}', 'no events'],
  ['{"status":"ok","sealing":"service.disk_full"}', 'no sealing'],
  ['{"status":"ok","ingestion":"something else"}', 'enough'],
  ['{"status":"ok"}', 'enough'],
  ['["ingest.disk_full"]', 'enough'],
  ['by a proxy', 'enough'],
  ['', 'enough'],
] as const)('reads the space that a service reports: %s', (body, state) => {
  expect(reportedSpace(body).state).toBe(state);
});
