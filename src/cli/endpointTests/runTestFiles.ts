import { availableParallelism } from 'node:os';
import type { Randomness } from '../../core/ids.ts';
import type { Settings } from '../../start/settings.ts';
import { type FileOutcome, runTestFile } from './runTestFile.ts';
import { ThrowAwayServices } from './throwAwayServices.ts';

/**
 * Each file has a service with an engine of its own, which takes a processor while it starts. Projects
 * would not keep files apart: queries that look for a pattern read the events of all of them.
 */
const servicesMax = 4;

/** Runs files of tests, some at a time, and gives their outcomes in the order of the files. */
export async function runTestFiles(
  paths: readonly string[],
  settings: Settings,
  randomness: Randomness,
): Promise<readonly FileOutcome[]> {
  const services = new ThrowAwayServices(settings, randomness);
  try {
    const outcomes: FileOutcome[] = [];
    const waiting = paths.entries();
    const work = async () => {
      for (const [index, path] of waiting) outcomes[index] = await runTestFile(path, services);
    };
    await Promise.all(Array.from({ length: Math.min(servicesMax, availableParallelism()) }, work));
    return outcomes;
  } finally {
    await services.end();
  }
}
