import { availableParallelism } from 'node:os';
import type { Randomness } from '../../core/ids.ts';
import type { Settings } from '../../start/settings.ts';
import { type FileOutcome, runTestFile } from './runTestFile.ts';
import { ThrowAwayServices } from './throwAwayServices.ts';

/**
 * Each file has its own service and engine, which uses a processor while it starts. Projects would not isolate files:
 * queries that search for a pattern read the events of all projects.
 */
const servicesMax = 4;

/** Runs test files, several at a time, and returns their outcomes in the order of the files. */
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
