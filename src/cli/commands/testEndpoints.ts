import { Command } from 'commander';
import { isTestFile } from '../../endpoints/loadDefinitionFiles.ts';
import { readSettings } from '../../start/readSettings.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { countsOf, renderReport, reportJson } from '../endpointTests/testReport.ts';
import { filesInFolder } from '../filesInFolder.ts';

interface TestOptions {
  readonly config?: string;
  readonly json?: boolean;
}

/** `logmill test PATH…`: runs tests of endpoints on services that are thrown away. */
export function testCommand(context: CliContext): Command {
  return new Command('test')
    .description(
      'run tests of endpoints (.test.yaml): given these events, this call answers this; needs no running service and touches no data; exit code 0: all passed, 1: a test failed, 2: a file is wrong',
    )
    .argument('[path...]', 'files of tests, or folders of them (default: this folder)')
    .option(
      '--config <file>',
      'configuration file whose settings the tests run with, such as sources and redact_fields; the environment is not looked at',
    )
    .option('--json', 'print JSON')
    .action((paths: readonly string[], options: TestOptions) => test(paths, options, context));
}

async function test(paths: readonly string[], options: TestOptions, context: CliContext): Promise<void> {
  const files = [...new Set((paths.length === 0 ? ['.'] : paths).flatMap(testFilesOf))];
  if (files.length === 0) {
    throw new CliError(`There is no file of tests (.test.yaml) in ${paths.join(', ') || 'this folder'}.`, {
      exitCode: 2,
    });
  }
  const { settings } = readSettings({ environment: {}, flags: {}, configFile: options.config });
  const startedMs = performance.now();
  // Loaded only here: the other commands start in half the time without engine and server.
  const { runTestFiles } = await import('../endpointTests/runTestFiles.ts');
  const outcomes = await runTestFiles(files, settings, context.randomness);
  const durationMs = performance.now() - startedMs;
  const report = options.json === true ? reportJson(outcomes, durationMs) : renderReport(outcomes, durationMs);
  context.out(`${report}\n`);
  const { failed, wrongFiles } = countsOf(outcomes);
  if (wrongFiles > 0) throw new CliError(`${wrongFiles} of ${files.length} files of tests are wrong.`, { exitCode: 2 });
  if (failed > 0) throw new CliError(`${failed} ${failed === 1 ? 'test has' : 'tests have'} failed.`);
}

function testFilesOf(path: string): readonly string[] {
  const files = filesInFolder(path, isTestFile) ?? [path];
  if (files.every(isTestFile)) return files;
  throw new CliError(`${path} is no file of tests; their names end in .test.yaml.`, { exitCode: 2 });
}
