import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { attachedActive } from '../log/activeFile.ts';
import { defaultDuckDbSettings } from '../settings.ts';
import { EngineConnection } from './engineConnection.ts';

let folder: string;
let engine: EngineConnection;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'logmill-ahead-'));
  engine = new EngineConnection(1);
});
afterEach(async () => {
  engine.kill();
  await engine.ended;
  rmSync(folder, { recursive: true });
});

const options = () => ({
  ...defaultDuckDbSettings,
  eventsDir: folder,
  spillDir: join(folder, 'spill'),
  hasScripted: false,
});
const file = (number: number) => attachedActive(number, join(folder, `active-${number}.duckdb`));

it('gives the reply to a call that was sent ahead to the first same call, and to no other', async () => {
  engine.sendAhead('open', options());
  engine.sendAhead('attach', file(1));
  await engine.call('open', options());
  // The engine is told only once.
  await expect(engine.call('open', options())).rejects.toThrow('the engine is open already');
  // Nobody waited when it failed.
  await expect(engine.call('attach', file(1))).rejects.toThrow('No such file');
});

it('detaches what was attached ahead and is not needed, and does nothing for other files', async () => {
  await engine.call('open', options());
  const created = { createdMicros: 1, tables: [], identities: [] };
  await engine.call('createActive', { ...file(1), ...created });
  await engine.call('detach', { alias: 'active_1' });
  engine.sendAhead('attach', file(1));
  engine.sendAhead('attach', file(2));
  await engine.withdraw(file(1));
  await engine.withdraw(file(2));
  await engine.withdraw(file(3));
  // A file that is still open could not be opened under another name.
  await engine.call('attach', { ...file(1), alias: 'checked_1' });
  await expect(engine.call('detach', { alias: 'active_1' })).rejects.toThrow(Error);
});
