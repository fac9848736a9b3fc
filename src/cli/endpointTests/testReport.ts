import { counted } from '../../core/counted.ts';
import type { FileOutcome } from './runTestFile.ts';

/** Counts the tests by outcome, and the invalid files. */
export function countsOf(files: readonly FileOutcome[]) {
  const tests = files.flatMap((file) => file.tests);
  const failed = tests.filter(({ failure }) => failure !== null).length;
  return {
    passed: tests.length - failed,
    failed,
    wrongFiles: files.filter(({ problem }) => problem !== null).length,
  };
}

/** The report for people: one line per test, the difference for each failure, and a summary. */
export function renderReport(files: readonly FileOutcome[], durationMs: number): string {
  const lines = files.flatMap(({ path, problem, tests, durationMs: fileMs }) => [
    problem === null ? `${path} (${Math.round(fileMs)} ms)` : `${path}\n  error  ${problem}`,
    ...tests.flatMap(({ name, failure, durationMs: testMs }) => [
      `  ${failure === null ? 'ok    ' : 'failed'} ${name} (${Math.round(testMs)} ms)`,
      ...(failure === null ? [] : failure.split('\n').map((line) => `           ${line}`.trimEnd())),
    ]),
  ]);
  const { passed, failed, wrongFiles } = countsOf(files);
  const wrong = wrongFiles === 0 ? '' : `, ${wrongFiles} of ${counted(files.length, 'file')} invalid`;
  const seconds = (durationMs / 1000).toFixed(1);
  return [...lines, '', `${passed} passed, ${failed} failed${wrong}, ${seconds} s`].join('\n');
}

/** The report for programs. */
export function reportJson(files: readonly FileOutcome[], durationMs: number): string {
  return JSON.stringify({ ...reportView(files), duration_ms: Math.round(durationMs) }, undefined, 2);
}

/** The report for programs, without the time of the whole. */
export function reportView(files: readonly FileOutcome[]) {
  const { passed, failed, wrongFiles } = countsOf(files);
  return {
    passed,
    failed,
    wrong_files: wrongFiles,
    files: files.map(({ path, problem, tests, durationMs: fileMs }) => ({
      file: path,
      problem,
      duration_ms: Math.round(fileMs),
      tests: tests.map(({ name, failure, durationMs: testMs }) => ({
        name,
        passed: failure === null,
        failure,
        duration_ms: Math.round(testMs),
      })),
    })),
  };
}
