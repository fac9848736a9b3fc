import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

export interface DocumentedPage {
  /** Path in the repository. */
  readonly name: string;
  /** The blocks of shell, in their order. */
  readonly examples: readonly ShellExample[];
}

export interface ShellExample {
  readonly text: string;
  /** Whether it is marked to run (```sh run). */
  readonly runs: boolean;
}

/** The pages for users that have blocks of shell. */
export function pagesWithShell(): readonly DocumentedPage[] {
  return [join(root, 'README.md'), ...markdownBelow(join(root, 'docs')), ...markdownBelow(join(root, 'examples'))]
    .map((path) => ({ name: relative(root, path), examples: examplesOf(readFileSync(path, 'utf8')) }))
    .filter(({ examples }) => examples.length > 0);
}

function examplesOf(text: string): readonly ShellExample[] {
  return [...text.matchAll(/^```sh( run)?\n([\s\S]*?)^```$/gm)].map(([, run, example = '']) => {
    return { text: example, runs: run !== undefined };
  });
}

function markdownBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return markdownBelow(path);
    return path.endsWith('.md') ? [path] : [];
  });
}
