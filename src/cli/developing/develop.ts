import { readSettings } from '../../start/readSettings.ts';
import type { Settings } from '../../start/settings.ts';
import { type CheckedFile, checkFile, renderCheck } from '../checkedFile.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import type { FileOutcome } from '../endpointTests/runTestFile.ts';
import { countsOf, renderReport, reportView } from '../endpointTests/testReport.ts';
import { noticeLines } from '../managedEndpoints.ts';
import { type ServiceAddress, serviceAddress } from '../serviceClient.ts';
import type { ServiceOptions } from '../serviceOptions.ts';
import { type DevelopedFile, developedFiles } from './developedFiles.ts';
import { deployScratch, type ScratchEndpoint } from './scratchEndpoint.ts';

export interface DevOptions extends ServiceOptions {
  readonly as: string;
  readonly test: boolean;
  readonly config?: string;
}

/** Editors write a file in several steps; they are done this long after the first one. */
const savedAfterMs = 50;

/** Checks, tests and deploys each file of a folder now and whenever it changes, until there are no more changes. */
export async function develop(folder: string, options: DevOptions, context: CliContext): Promise<void> {
  const { settings } = readSettings({ environment: {}, flags: {}, configFile: options.config });
  const address = serviceAddress(options, context.environment);
  const deployed = new Set<string>();
  const forgetLastWords = context.onInterrupt(() => lastWords(deployed));
  const keys = new Map<string, string>();
  let isFirst = true;
  const look = async () => {
    const files = developedFiles(folder);
    for (const path of keys.keys()) {
      if (!files.some((file) => file.path === path)) keys.delete(path);
    }
    for (const file of files.filter(({ path, key }) => keys.get(path) !== key)) {
      keys.set(file.path, file.key);
      try {
        const outcome = await developFile(file, { address, settings, options, context });
        if (outcome.deployed !== null) deployed.add(outcome.deployed.name);
        show(outcome, options, context);
      } catch (error) {
        // A wrong address or token is wrong from the start. Later, the service may be restarting.
        if (isFirst || !(error instanceof CliError)) throw error;
        keys.delete(file.path);
        context.err(`${file.path}: ${error.message}\n`);
      }
    }
    if (isFirst) context.err(`Watching ${folder}. Press Ctrl-C to stop.\n`);
    isFirst = false;
  };
  try {
    const changes = context.changesOf(folder)[Symbol.asyncIterator]();
    for (let isLast = false; !isLast; ) {
      // Asked for before looking, so that no change is missed meanwhile.
      const [{ done = false }] = await Promise.all([changes.next(), look()]);
      isLast = done;
      if (!isLast) await context.delay(savedAfterMs);
    }
  } finally {
    forgetLastWords();
  }
}

interface Outcome {
  readonly path: string;
  /** Null for a test file without a definition file. */
  readonly checked: CheckedFile | null;
  readonly tested: readonly FileOutcome[];
  /** Null if it was not deployed. */
  readonly deployed: ScratchEndpoint | null;
  /** Why the deployment was refused. */
  readonly refusal: string | null;
}

interface Means {
  readonly address: ServiceAddress;
  readonly settings: Settings;
  readonly options: DevOptions;
  readonly context: CliContext;
}

async function developFile(file: DevelopedFile, means: Means): Promise<Outcome> {
  const { path, named } = file;
  const { address, options } = means;
  const checked = named === null ? null : await checkFile(named, address);
  if (checked?.valid === false) return { path, checked, tested: [], deployed: null, refusal: null };
  const tested = options.test ? await test(file, means) : [];
  const { failed, wrongFiles } = countsOf(tested);
  const definition = named?.definition ?? null;
  if (definition === null || failed > 0 || wrongFiles > 0)
    return { path, checked, tested, deployed: null, refusal: null };
  try {
    const deployed = await deployScratch({ path, definition }, options.as, address);
    return { path, checked, tested, deployed, refusal: null };
  } catch (error) {
    if (!(error instanceof CliError) || error.details.code === undefined) throw error;
    return { path, checked, tested, deployed: null, refusal: error.message };
  }
}

async function test({ tests }: DevelopedFile, { settings, context }: Means): Promise<readonly FileOutcome[]> {
  if (tests.length === 0) return [];
  // Loaded here because engine and server are not needed before.
  const { runTestFiles } = await import('../endpointTests/runTestFiles.ts');
  return await runTestFiles(tests, settings, context.randomness);
}

function show(outcome: Outcome, options: DevOptions, context: CliContext): void {
  const { path, checked, tested, deployed, refusal } = outcome;
  if (options.json === true) {
    const { query: _, ...report } = checked ?? { query: '', file: path };
    // One line each, since there is no end.
    context.out(`${JSON.stringify({ ...report, tests: reportView(tested), deployed, refusal })}\n`);
    return;
  }
  if (checked !== null) {
    context.out(`${renderCheck(checked)}\n`);
    for (const line of noticeLines(checked.name, checked.notices)) context.err(line);
  }
  const { failed, wrongFiles } = countsOf(tested);
  if (tested.length > 0) {
    const durationMs = tested.reduce((sum, file) => sum + file.durationMs, 0);
    context.out(`${renderReport(tested, durationMs)}\n`);
  }
  if (refusal !== null) context.err(`${refusal}\n`);
  if (deployed !== null) context.out(`${deployed.outcome} ${deployed.name}, version ${deployed.version}\n`);
  else if (failed > 0 || wrongFiles > 0) context.err(`${path} is not deployed, because its tests do not pass.\n`);
}

function lastWords(names: ReadonlySet<string>): string {
  if (names.size === 0) return '';
  return `\nStill deployed: ${[...names].join(', ')}. "logmill endpoints delete NAME --allow-breaking" deletes one.\n`;
}
