import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const SYMBOLIC_LINK = '120000';

/** The files that git keeps, with their modes; an archive without a repository has none to ask. */
function committed(): { readonly mode: string; readonly path: string }[] {
  const output = execFileSync('git', ['ls-files', '-s', '-z'], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return output
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => ({ mode: line.slice(0, 6), path: line.slice(line.indexOf('\t') + 1) }));
}

describe.skipIf(!existsSync('.git'))('the files of the repository', () => {
  // A link to a folder of one machine breaks the build on every other, and git replaces what lay there.
  it('has no symbolic link', () => {
    const files = committed();
    expect(files.length).toBeGreaterThan(1_000);
    expect(files.filter(({ mode }) => mode === SYMBOLIC_LINK)).toEqual([]);
  });

  it('has nothing of what is built, downloaded or measured', () => {
    const made = /^(node_modules|dist|data|coverage|\.cache|bench\/results)(\/|$)/;
    expect(committed().filter(({ path }) => made.test(path))).toEqual([]);
  });
});
