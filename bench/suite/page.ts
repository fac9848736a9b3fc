import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pageTables } from './pageTables.ts';
import type { SuiteResult } from './suiteResult.ts';

/**
 * npm run bench -- page [file]: writes the figures of a result (default: the newest one) between the two marks of
 * docs/performance.md. The text around the marks is written by hand.
 */
const root = join(import.meta.dirname, '..', '..');
const page = join(root, 'docs', 'performance.md');
const marks = ['<!-- Figures, made by "npm run bench -- page". -->', '<!-- End of the figures. -->'] as const;

const file = process.argv[2] ?? newestResult();
const result = JSON.parse(readFileSync(file, 'utf8')) as SuiteResult;
const text = readFileSync(page, 'utf8');
const [begin, end] = marks.map((mark) => text.indexOf(mark));
if (begin === undefined || end === undefined || begin < 0 || end < begin) {
  throw new Error(`${relative(root, page)} lacks its marks: ${marks.join(' and ')}`);
}
writeFileSync(page, `${text.slice(0, begin + marks[0].length)}\n\n${pageTables(result)}\n\n${text.slice(end)}`);
console.log(`wrote the figures of ${result.startedAt}Z into ${relative(root, page)}`);

function newestResult(): string {
  const folder = join(root, 'bench', 'results');
  const name = readdirSync(folder)
    .filter((each) => /^suite-.*\.json$/.test(each))
    .toSorted()
    .at(-1);
  if (name === undefined) throw new Error('there is no result of the suite; "npm run bench" makes one');
  return join(folder, name);
}
