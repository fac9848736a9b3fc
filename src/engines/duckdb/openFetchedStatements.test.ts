import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openFetchedStatements } from './openFetchedStatements.ts';
import { defaultDuckDbSettings } from './settings.ts';

it('starts the function processes without a statement, once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'logmill-fetched-'));
  const [rowsDir, spillDir] = [join(folder, 'rows'), join(folder, 'spill')];
  for (const each of [rowsDir, spillDir]) mkdirSync(each);
  let started = 0;
  let bothStarted = (): void => {};
  const whenBothStarted = new Promise<void>((resolve) => (bothStarted = resolve));
  const fetched = await openFetchedStatements({
    settings: defaultDuckDbSettings,
    rowsDir,
    spillDir,
    observe: (observation) => {
      if (observation.kind === 'engine.started' && observation.role === 'functions' && ++started === 2) bothStarted();
    },
    provide: async () => async () => undefined,
  });
  try {
    expect(fetched.memoryBytes().map(({ process }) => process)).toEqual(['engine']);
    fetched.prepareRedaction();
    fetched.prepareRedaction();
    await whenBothStarted;
    const processes = fetched.memoryBytes().map(({ process }) => process);
    expect(processes).toEqual(['engine', 'functions-1', 'functions-2']);
  } finally {
    await fetched.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
