import { expect, test } from 'vitest';
import { defaultDuckDbSettings } from './settings.ts';

test('the active segment and all that may wait to be sealed fit into the memory of the engine', () => {
  const { rotateBytes, frozenFilesMax, memoryBytesMax } = defaultDuckDbSettings;
  expect((frozenFilesMax + 1) * rotateBytes).toBeLessThan(memoryBytesMax);
});
