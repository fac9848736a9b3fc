import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { defaultDetectors } from '../../../redact/createRedactor.ts';
import { defaultDuckDbSettings } from '../settings.ts';
import { Engine } from './engine.ts';

it('runs every detector before a statement needs it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'logmill-warm-'));
  const before = process.cwd();
  const engine = new Engine(() => undefined);
  const finds = defaultDetectors.map((detector) => vi.spyOn(detector, 'find'));
  try {
    await engine.handlers.open(
      { ...defaultDuckDbSettings, eventsDir: folder, spillDir: join(folder, 'spill'), hasScripted: true },
      Buffer.alloc(0),
      1,
    );
    expect(finds.some((find) => find.mock.calls.length > 0)).toBe(false);
    await engine.handlers.warmRedaction({}, Buffer.alloc(0), 2);
    await vi.waitUntil(() => finds.every((find) => find.mock.calls.length > 0), { timeout: 60_000 });
    await engine.handlers.close({ checkpoint: [] }, Buffer.alloc(0), 3);
  } finally {
    vi.restoreAllMocks();
    process.chdir(before);
    rmSync(folder, { recursive: true, force: true });
  }
});
