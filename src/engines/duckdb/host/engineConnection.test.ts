import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { builtModule } from '../../../../test/support/builtModule.ts';
import { attachedActive } from '../log/activeFile.ts';
import { defaultDuckDbSettings } from '../settings.ts';
import { EngineConnection } from './engineConnection.ts';

const node = process.execPath;
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

it('fails if the service has too many open files, and can be started once it has fewer', () => {
  const script = `
    import { closeSync, openSync } from 'node:fs';
    import { setImmediate } from 'node:timers/promises';
    import { EngineConnection } from ${builtModule('engineConnection')};
    const held = [];
    // The first process has its own way to start.
    const first = process.argv[1] === 'later' ? new EngineConnection(1) : undefined;
    await first?.program;
    try { for (;;) held.push(openSync('/dev/null')); } catch {}
    try { new EngineConnection(1); } catch (error) { console.log(error.message); }
    // Node emits the error later.
    await setImmediate();
    for (const each of held) closeSync(each);
    const engine = new EngineConnection(1);
    engine.kill();
    console.log(await engine.ended);
    first?.kill();`;
  const limited = 'ulimit -n 64; exec "$0" --input-type=module -e "$1" "$2"';
  for (const process of ['first', 'later']) {
    const { stdout, stderr } = spawnSync('sh', ['-c', limited, node, script, process]);
    expect([String(stdout), String(stderr)]).toEqual([
      'no process can be started, because the service has too many open files (EMFILE)\nsignal SIGKILL\n',
      '',
    ]);
  }
});
