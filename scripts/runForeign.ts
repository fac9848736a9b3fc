// npm run conformance:foreign -- FOLDER [--known FILE] [options of its run.mjs]: starts the built service on a
// temporary folder and runs the folder's run.mjs against it. The folder judges its own cases; this fails on verdicts
// that must not occur. FILE lists cases whose expected answer is wrong: {"<case>": {"verdict": "wrong", "reason":
// "…"}}.
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

/** Verdicts that fail the run: other rows, rows although the reference fails, and no answer. */
const failing = ['wrong', 'accepted', 'down'];

/** A case whose expected answer is wrong. */
interface KnownFault {
  /** The folder's verdict on our answer; any other verdict is judged as usual. */
  readonly verdict: string;
  readonly reason: string;
}

const [given, ...options] = process.argv.slice(2);
// npm runs this in the package's folder, and passes the caller's folder in INIT_CWD.
const folder = given === undefined || given.startsWith('-') ? null : resolve(process.env.INIT_CWD ?? '.', given);
process.exitCode =
  folder === null ? refuse('Name the folder: npm run conformance:foreign -- FOLDER') : await run(folder);

async function run(folder: string): Promise<number> {
  const runner = join(folder, 'run.mjs');
  if (!existsSync(runner))
    return refuse(`${folder} has no run.mjs, which asks a service its cases and judges the answers.`);
  const listed = knownFaults();
  if (typeof listed === 'string') return refuse(listed);
  build();
  const place = mkdtempSync(join(tmpdir(), 'logmill-foreign-'));
  try {
    const kept = options.indexOf('--json') + 1;
    const report = kept === 0 ? join(place, 'report.json') : resolve(process.env.INIT_CWD ?? '.', options[kept] ?? '');
    const code = await ask(runner, report, join(place, 'data'));
    return code === 0
      ? summary(withKnown(JSON.parse(readFileSync(report, 'utf8')), listed))
      : refuse(`${runner} ended with ${code}.`);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Runs the folder's own program; returns its exit code. */
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

/** The contents of `--known`, which is not an option of the folder's own program; a sentence if it cannot be read. */
function knownFaults(): ReadonlyMap<string, KnownFault> | string {
  const at = options.indexOf('--known');
  if (at === -1) return new Map();
  const [, name = ''] = options.splice(at, 2);
  const file = resolve(process.env.INIT_CWD ?? '.', name);
  if (name === '' || !existsSync(file)) return `--known names a file with cases and reasons; there is none at ${file}.`;
  const faults = new Map(Object.entries<Partial<KnownFault>>(JSON.parse(readFileSync(file, 'utf8'))));
  for (const [of, { verdict, reason }] of faults) {
    if (typeof verdict !== 'string' || typeof reason !== 'string' || reason.trim() === '')
      return `${of} in ${file} needs a verdict and a reason.`;
  }
  return faults as ReadonlyMap<string, KnownFault>;
}

/** Adds the known faults to the cases. Prints faults that no longer occur, so that the list stays correct. */
function withKnown(cases: readonly Judged[], faults: ReadonlyMap<string, KnownFault>): readonly Judged[] {
  const verdicts = new Map(cases.map(({ name, verdict }) => [name, verdict]));
  for (const [name, { verdict }] of faults) {
    const now = verdicts.get(name);
    if (now !== undefined && now !== verdict) console.log(`known as ${verdict}, but ${now}: ${name}`);
  }
  return cases.map((one) => {
    const fault = faults.get(one.name);
    return fault === undefined || fault.verdict !== one.verdict ? one : { ...one, known: fault.reason };
  });
}

/** Verdicts as run.mjs counts them. */
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
