// npm run conformance:foreign -- FOLDER [options of its run.mjs]: starts the built service on a temporary folder and has
// the folder's run.mjs ask it the folder's cases. The folder judges its own cases; this fails on what must never be.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build, startService } from '../test/acceptance/startedService.ts';

/** One case, as run.mjs writes it with `--json`. */
interface Judged {
  readonly name: string;
  readonly verdict: string;
  /** Why the expected answer does not bind Logmill. */
  readonly known?: string;
  /** `in` or `out`, with the reason why the query is not the product's task. */
  readonly scope?: string;
}

/** What fails the run: other rows, rows where the reference fails, and no answer. */
const failing = ['wrong', 'accepted', 'down'];

const [given, ...options] = process.argv.slice(2);
// npm runs this in the package's folder, and says here where it was called.
const folder = given === undefined || given.startsWith('-') ? null : resolve(process.env.INIT_CWD ?? '.', given);
process.exitCode =
  folder === null ? refuse('Name the folder: npm run conformance:foreign -- FOLDER') : await run(folder);

async function run(folder: string): Promise<number> {
  const runner = join(folder, 'run.mjs');
  if (!existsSync(runner))
    return refuse(`${folder} has no run.mjs, which asks a service its cases and judges the answers.`);
  build();
  const place = mkdtempSync(join(tmpdir(), 'logmill-foreign-'));
  try {
    const kept = options.indexOf('--json') + 1;
    const report = kept === 0 ? join(place, 'report.json') : resolve(process.env.INIT_CWD ?? '.', options[kept] ?? '');
    const code = await ask(runner, report, join(place, 'data'));
    return code === 0 ? summary(JSON.parse(readFileSync(report, 'utf8'))) : refuse(`${runner} ended with ${code}.`);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** The exit code of the folder's own program. */
async function ask(runner: string, report: string, dataDir: string): Promise<number | null> {
  const token = `foreign-${randomUUID()}`;
  const service = await startService(['--admin-token', token], { dataDir });
  try {
    const wanted = ['--base', service.url, '--token', token, ...options, '--json', report];
    const [code] = await once(spawn(process.execPath, [runner, ...wanted], { stdio: 'inherit' }), 'exit');
    return code;
  } finally {
    await service.stop();
  }
}

/** As run.mjs counts them. */
function kindOf({ verdict, known, scope }: Judged): string {
  if (verdict === 'right') return verdict;
  if (known !== undefined) return 'known';
  return scope?.startsWith('out') === true ? `${verdict}, out of scope` : verdict;
}

/** Prints how many cases have each verdict. */
function summary(cases: readonly Judged[]): number {
  const kinds = cases.map(kindOf);
  const counts = [...new Set(kinds)].map((kind) => `${kinds.filter((each) => each === kind).length} ${kind}`);
  console.log(`${cases.length} cases: ${counts.join(', ') || 'none was asked'}`);
  return cases.length === 0 || kinds.some((kind) => failing.includes(kind)) ? 1 : 0;
}

function refuse(sentence: string): number {
  console.error(sentence);
  return 1;
}
