import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Every Markdown page of the repository for readers. */
export function docPages(root: string): readonly string[] {
  const below = (folder: string): readonly string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return below(path);
      return path.endsWith('.md') ? [path] : [];
    });
  const top = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].map((page) => join(root, page));
  return [...top, ...below(join(root, 'docs'))];
}

/** Relative links to missing files or headings, and pages that no other page links to. */
export function linkProblems(root: string): readonly string[] {
  const problems: string[] = [];
  const pages = docPages(root);
  const linked = new Set([join(root, 'README.md')]);
  for (const page of pages) {
    // Code may look like a link but is not one.
    const text = readFileSync(page, 'utf8')
      .replaceAll(/^```[\s\S]*?^```/gm, '')
      .replaceAll(/`[^`\n]*`/g, '');
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : join(dirname(page), path);
      if (file !== page) linked.add(file);
      if (!existsSync(file)) problems.push(`${relative(root, page)}: the link ${target} leads nowhere`);
      else if (anchor !== undefined && !anchorsOf(readFileSync(file, 'utf8')).has(anchor)) {
        problems.push(`${relative(root, page)}: ${target} names no heading`);
      }
    }
  }
  for (const page of pages) if (!linked.has(page)) problems.push(`${relative(root, page)}: no page links to it`);
  return problems;
}

/** Decision records that the index does not list exactly once. */
export function decisionProblems(folder: string): readonly string[] {
  const index = readFileSync(join(folder, 'README.md'), 'utf8');
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .sort();
  const notListedOnce = files.flatMap((file) => {
    const times = index.split(`](${file})`).length - 1;
    if (times === 1) return [];
    return [`docs/decisions/README.md lists ${file} ${times} times; list it once, under its topic`];
  });
  const numberOf = (file: string) => file.slice(0, file.indexOf('-'));
  const numberedTwice = files.flatMap((file, i) => {
    const before = files[i - 1];
    if (before === undefined || numberOf(before) !== numberOf(file)) return [];
    return [`docs/decisions/${file} has the number of ${before}; give it the next free one`];
  });
  return [...notListedOnce, ...numberedTwice];
}

function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...text.matchAll(/^#+\s+(.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  );
  const ids = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id);
  return new Set([...headings, ...ids]);
}

/** Unknown settings and commands of `logmill` that a page mentions. */
export function unknownNames(
  root: string,
  settings: ReadonlySet<string>,
  commands: ReadonlySet<string>,
): readonly string[] {
  const problems: string[] = [];
  for (const page of docPages(root)) {
    const text = readFileSync(page, 'utf8');
    for (const [name] of text.matchAll(/\bLOGMILL_[A-Z0-9_]*[A-Z0-9]\b/g)) {
      if (!settings.has(name)) problems.push(`${relative(root, page)}: there is no setting ${name}`);
    }
    for (const [, command = ''] of text.matchAll(/\blogmill ([a-z]+)\b(?=[\s`"]*(?:`|"|\n|--|[a-z]))/g)) {
      if (isCommandLike(text, command) && !commands.has(command))
        problems.push(`${relative(root, page)}: there is no command logmill ${command}`);
    }
  }
  return problems;
}

/** Whether the word after `logmill` is in code, where it must be a command. */
function isCommandLike(text: string, command: string): boolean {
  return new RegExp(`(\`|^|\\$ |npx )logmill ${command}\\b`, 'm').test(text);
}
