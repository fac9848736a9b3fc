// npm run conformance:mutations [-- a part of a name]: shows that the recorded suite can fail. Each mutation is made in a
// copy of the sources, never in the product, and the suite runs there; one that breaks no query fails the run.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Mutation, mutations } from './mutations.ts';

interface TestReport {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

const root = new URL('../', import.meta.url).pathname;
const wanted = process.argv[2] ?? '';
const copy = mkdtempSync(join(tmpdir(), 'logmill-mutations-'));
let unnoticed = 0;
try {
  for (const name of ['src', 'test', 'scripts', 'definitions', 'package.json', 'tsconfig.json', 'vitest.config.ts']) {
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const before = new Set(failingQueries());
  if (before.size > 0) throw new Error(`without a mutation these fail: ${[...before].join(', ')}`);
  for (const mutation of mutations.filter(({ name }) => name.includes(wanted))) {
    const broken = whileMutated(mutation, failingQueries);
    console.log(`${mutation.name}: ${broken.length} queries break`);
    for (const query of broken) console.log(`  ${query}`);
    if (broken.length === 0) unnoticed += 1;
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
process.exitCode = unnoticed === 0 ? 0 : 1;

function whileMutated<T>({ name, file, text, instead }: Mutation, action: () => T): T {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  const [head, tail, ...more] = source.split(text);
  if (head === undefined || tail === undefined || more.length > 0) {
    throw new Error(`${name}: ${file} does not hold its text exactly once`);
  }
  writeFileSync(path, `${head}${instead}${tail}`);
  try {
    return action();
  } finally {
    writeFileSync(path, source);
  }
}

/** The queries that fail in the copy, over one storage variant. */
function failingQueries(): readonly string[] {
  const report = join(copy, 'report.json');
  const variant = 'sealed file, members in typed columns';
  const suite = 'test/conformance/recorded.test.ts';
  const args = ['run', suite, '-t', variant, '--reporter=json', `--outputFile=${report}`];
  rmSync(report, { force: true });
  spawnSync(join(root, 'node_modules', '.bin', 'vitest'), args, { cwd: copy, stdio: 'ignore' });
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as TestReport;
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  if (!tests.some(({ status }) => status === 'passed')) throw new Error('the suite did not run at all');
  const failed = tests.filter(({ status }) => status === 'failed');
  return failed.map(({ fullName }) => fullName.slice(fullName.indexOf(variant) + variant.length).replace(/^'?\s*/, ''));
}
