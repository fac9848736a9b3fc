import { Command } from 'commander';
import { counted } from '../../core/counted.ts';
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

/** `logmill test PATH…`: runs endpoint tests on temporary services. */
export function testCommand(context: CliContext): Command {
  return new Command('test')
    .description(
      'run endpoint tests (.test.yaml), which compare answers with expected rows or errors; needs no running service and no data folder; exit code 0: all passed, 1: a test failed, 2: a file is invalid',
    )
    .argument('[path...]', 'test files, or folders that contain them (default: the current folder)')
    .option(
      '--config <file>',
      'configuration file with settings for the tests, such as sources and redact_fields; the environment is ignored',
    )
    .option('--json', 'print JSON')
    .action((paths: readonly string[], options: TestOptions) => test(paths, options, context));
}

async function test(paths: readonly string[], options: TestOptions, context: CliContext): Promise<void> {
  const files = [...new Set((paths.length === 0 ? ['.'] : paths).flatMap(testFilesOf))];
  if (files.length === 0) {
    throw new CliError(`No test file (.test.yaml) found in ${paths.join(', ') || 'the current folder'}.`, {
      exitCode: 2,
    });
  }
  const { settings } = readSettings({ environment: {}, flags: {}, configFile: options.config });
  const startedMs = performance.now();
  // Loaded here because the other commands start in half the time without engine and server.
  const { runTestFiles } = await import('../endpointTests/runTestFiles.ts');
  const outcomes = await runTestFiles(files, settings, context.randomness);
  const durationMs = performance.now() - startedMs;
  const report = options.json === true ? reportJson(outcomes, durationMs) : renderReport(outcomes, durationMs);
  context.out(`${report}\n`);
  const { failed, wrongFiles } = countsOf(outcomes);
  if (wrongFiles > 0) {
    const verb = wrongFiles === 1 ? 'is' : 'are';
    throw new CliError(`${wrongFiles} of ${counted(files.length, 'test file')} ${verb} invalid.`, { exitCode: 2 });
  }
  if (failed > 0) throw new CliError(`${counted(failed, 'test')} failed.`);
}

function testFilesOf(path: string): readonly string[] {
  const files = filesInFolder(path, isTestFile) ?? [path];
  if (files.every(isTestFile)) return files;
  throw new CliError(`${path} is not a test file: its name must end in .test.yaml.`, { exitCode: 2 });
}
