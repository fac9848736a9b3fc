import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take the most processor time, including their engine processes. */
export const slowest: readonly string[] = [
  'test/integration/tenants/hiddenErrors.test.ts',
  'src/engines/duckdb/crash.test.ts',
  'test/crash/crash.test.ts',
  'test/integration/runaway/runaway.test.ts',
  'src/engines/duckdb/openDuckDbStorage.test.ts',
];

/**
 * Orders test files. First come files with a worker of their own, the slowest first, so that none of them starts last.
 * Files that share workers follow, by test project, because a worker is shared within one project only. Otherwise the
 * order is that of vitest: last failures, longest, largest.
 */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return slowestFirst(await super.sort(files));
  }
}

/** The properties of a test file that its position depends on. */
interface OrderedFile {
  readonly moduleId: string;
  readonly project: { readonly name: string; readonly config: { readonly isolate: boolean } };
}

/** Sorts the files in the order above; it is stable for all others. */
export function slowestFirst<File extends OrderedFile>(files: readonly File[]): File[] {
  return files.toSorted((a, b) => rank(a) - rank(b) || projectOf(a).localeCompare(projectOf(b)));
}

/** The project of a file that shares workers; empty for others, whose order does not depend on it. */
const projectOf = ({ project }: OrderedFile): string => (project.config.isolate ? '' : project.name);

function rank({ moduleId, project }: OrderedFile): number {
  if (!project.config.isolate) return slowest.length + 1;
  const place = slowest.findIndex((file) => moduleId.endsWith(`/${file}`));
  return place === -1 ? slowest.length : place;
}
