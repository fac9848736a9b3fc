import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

export interface DocumentedPage {
  /** Path in the repository. */
  readonly name: string;
  /** The blocks of shell, in their order. */
  readonly examples: readonly string[];
}

/** The shells that readers use: those that this machine has. */
export const shells = { bash: ['bash', '--norc', '--noprofile'], zsh: ['zsh', '-f'] } as const;
export type Shell = keyof typeof shells;

/** An example that the acceptance tests do not run to its end, by its page and first line, and why. */
interface Exception {
  readonly page: string;
  readonly begins: string;
  readonly why: string;
}

const ownPort =
  'starts a service on a port and a folder that the reader chooses; the services of the tests are started so';
const ofRoot = 'changes the system as root, or asks systemd';

/** All other examples run, as they are printed, in every shell. */
export const notRun: readonly Exception[] = [
  { page: 'README.md', begins: 'npm start', why: ownPort },
  { page: 'docs/quick-start.md', begins: 'npm start', why: ownPort },
  { page: 'docs/guides/running.md', begins: 'logmill serve --port', why: ownPort },
  { page: 'docs/guides/operating.md', begins: 'LOGMILL_TRACES_ENDPOINT=', why: ownPort },
  { page: 'docs/reference/settings.md', begins: 'LOGMILL_PORT=4100', why: ownPort },
  { page: 'docs/guides/operating.md', begins: 'npm install --global', why: ofRoot },
  { page: 'docs/guides/operating.md', begins: 'cp examples/systemd/', why: ofRoot },
  { page: 'docs/guides/upgrading.md', begins: 'logmill backup before-upgrade', why: ofRoot },
  { page: 'docs/guides/operating.md', begins: 'docker compose', why: 'needs Docker' },
  { page: 'docs/guides/operating.md', begins: 'kubectl create', why: 'needs a cluster of Kubernetes' },
  { page: 'docs/guides/operating.md', begins: 'kubectl rollout', why: 'needs a cluster of Kubernetes' },
  { page: 'docs/guides/running.md', begins: 'logmill queries kill', why: 'names a query that runs at the reader' },
  { page: 'docs/soak.md', begins: 'npm run soak -- --minutes', why: 'takes 20 minutes' },
  { page: 'docs/soak.md', begins: 'npm run soak -- --cluster', why: 'takes 10 minutes' },
];

/** Examples that go on until the reader ends them: they run until they show an event that is sent meanwhile. */
export const endless: readonly Exception[] = [
  { page: 'docs/guides/tails.md', begins: 'logmill tail', why: 'follows new rows' },
  { page: 'docs/guides/tails.md', begins: 'curl -sS -N', why: 'follows new rows' },
];

/** Whether an example is in a list of exceptions. */
export function isAmong(list: readonly Exception[], page: string, example: string): boolean {
  return list.some(({ page: of, begins }) => of === page && example.startsWith(begins));
}

/** The pages for users that have blocks of shell. */
export function pagesWithShell(): readonly DocumentedPage[] {
  return [join(root, 'README.md'), ...markdownBelow(join(root, 'docs')), ...markdownBelow(join(root, 'examples'))]
    .map((path) => ({ name: relative(root, path), examples: examplesOf(readFileSync(path, 'utf8')) }))
    .filter(({ examples }) => examples.length > 0);
}

function examplesOf(text: string): readonly string[] {
  return [...text.matchAll(/^```sh\b.*\n([\s\S]*?)^```$/gm)].map(([, example = '']) => example);
}

function markdownBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return markdownBelow(path);
    return path.endsWith('.md') ? [path] : [];
  });
}
