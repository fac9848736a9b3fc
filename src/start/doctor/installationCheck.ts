import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Timer } from '../../core/timer.ts';
import type { SettingInputs } from '../readSettings.ts';
import { flagName, type SettingName } from '../settings.ts';
import type { Finding } from './finding.ts';

/** For how long findings are given again. */
const keptMs = 10_000;
const timeoutMs = 60_000;
const outputBytesMax = 2 ** 20;

/**
 * Runs the doctor for a running service, in a process of its own: the doctor opens the file of the store, and in this process
 * closing it would end the locks of the service (decision 54). At most one runs at a time.
 */
export class InstallationCheck {
  readonly #args: readonly string[];
  readonly #environment: SettingInputs['environment'];
  readonly #timer: Timer;
  readonly #stopping = new AbortController();
  #last: { readonly findings: Promise<readonly Finding[]>; doneMs: number } | null = null;

  /** `inputs` are the settings as the service got them. */
  constructor({ environment, flags, configFile }: SettingInputs, timer: Timer) {
    const given = Object.entries(flags).flatMap(([name, value]) => [flagName(name as SettingName), value]);
    this.#args = [...given, ...(configFile === undefined ? [] : ['--config', configFile])];
    this.#environment = environment;
    this.#timer = timer;
  }

  /** Rejects if the doctor did not come to an end. */
  async run(): Promise<readonly Finding[]> {
    if (this.#last !== null && this.#timer.nowMs() - this.#last.doneMs < keptMs) return await this.#last.findings;
    const last = { findings: this.#ask(), doneMs: Number.POSITIVE_INFINITY };
    this.#last = last;
    try {
      return await last.findings;
    } finally {
      last.doneMs = this.#timer.nowMs();
    }
  }

  /** Ends a doctor that runs. */
  stop(): void {
    this.#stopping.abort();
  }

  #ask(): Promise<readonly Finding[]> {
    const { command, args } = doctorCommand();
    const options = {
      env: { ...this.#environment },
      signal: this.#stopping.signal,
      timeout: timeoutMs,
      maxBuffer: outputBytesMax,
    };
    return new Promise((resolve, reject) => {
      execFile(command, [...args, 'doctor', '--json', ...this.#args], options, (error, output) => {
        try {
          // If a check fails, the command fails too, after its findings.
          resolve((JSON.parse(output) as { readonly findings: readonly Finding[] }).findings);
        } catch {
          reject(new Error('the doctor did not come to an end', { cause: error }));
        }
      });
    });
  }
}

/** The command of the product: its bundle, or its source through the type stripper. */
function doctorCommand(): { readonly command: string; readonly args: readonly string[] } {
  const isSource = import.meta.url.endsWith('.ts');
  const entry = new URL(isSource ? '../../cli/main.ts' : '../cli/main.js', import.meta.url);
  const loader = isSource ? ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href] : [];
  return { command: process.execPath, args: [...loader, fileURLToPath(entry)] };
}
