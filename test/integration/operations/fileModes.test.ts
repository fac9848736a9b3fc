import { lstatSync } from 'node:fs';
import { expect, it } from 'vitest';
import { dataEntries } from '../../../src/start/dataEntries.ts';
import { at, second } from '../../support/instants.ts';
import { startWholeService } from '../../support/wholeService.ts';

const now = at('2026-05-01T12:00:00Z');

it('makes nothing in the data folder that others may read, whatever rights new files usually have', async () => {
  // Read only: a umask cannot be set in a thread of the test runner. The usual one lets everybody read.
  const service = await startWholeService({ nowMicros: now });
  try {
    await service.send('edge_logs', [{ id: 'one', timestamp: now - second, project: 'own', event_message: 'A' }]);
    await service.call('logs.all', { project: 'own' });
    const entries = dataEntries(service.dataDir);
    expect(entries.filter(({ isOpen }) => isOpen)).toEqual([]);
    expect(entries.some(({ path }) => /events\/active-\d+\.duckdb$/.test(path))).toBe(true);
    expect(entries.some(({ path }) => /lock-holder\.json$/.test(path))).toBe(true);
    for (const { path, kind } of entries) {
      expect([path, lstatSync(path).mode & 0o777]).toEqual([path, kind === 'folder' ? 0o700 : 0o600]);
    }
  } finally {
    await service.close();
  }
});
