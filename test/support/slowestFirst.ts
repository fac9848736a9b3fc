import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest, by the processor time that they and their engine processes take. */
export const slowest: readonly string[] = [
  'test/integration/tenants/hiddenErrors.test.ts',
  'src/engines/duckdb/crash.test.ts',
  'test/crash/crash.test.ts',
  'test/integration/runaway/runaway.test.ts',
  'src/engines/duckdb/openDuckDbStorage.test.ts',
];

/**
 * The order in which test files begin: first those with a worker of their own, of them the slowest first, so that none
 * of them is begun when all else is done; then those that share workers, project by project, since a worker is shared
 * within one only. Otherwise as vitest has it: what failed last time, what took longest, what is largest.
 */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return slowestFirst(await super.sort(files));
  }
}

/** What of a test file its place in the order depends on. */
interface OrderedFile {
  readonly moduleId: string;
  readonly project: { readonly name: string; readonly config: { readonly isolate: boolean } };
}

/** The files in the order above; those that it says nothing about stay as they are. */
export function slowestFirst<File extends OrderedFile>(files: readonly File[]): File[] {
  return files.toSorted((a, b) => rank(a) - rank(b) || projectOf(a).localeCompare(projectOf(b)));
}

/** Of a file that shares workers; empty for others, whose order it does not matter to. */
const projectOf = ({ project }: OrderedFile): string => (project.config.isolate ? '' : project.name);

function rank({ moduleId, project }: OrderedFile): number {
  if (!project.config.isolate) return slowest.length + 1;
  const place = slowest.findIndex((file) => moduleId.endsWith(`/${file}`));
  return place === -1 ? slowest.length : place;
}
