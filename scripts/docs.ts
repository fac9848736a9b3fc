import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { environmentName, settingNames } from '../src/start/settings.ts';
import { decisionProblems, linkProblems, unknownNames } from './docs/checkDocs.ts';
import { cliPage } from './docs/cliPage.ts';
import { consoleTypes } from './docs/consoleTypes.ts';
import { definitionSchema, testFileSchema } from './docs/definitionSchema.ts';
import { definitionsPage } from './docs/definitionsPage.ts';
import { dialectPage } from './docs/dialectPage.ts';
import { documentedProgram } from './docs/documentedProgram.ts';
import { errorsPage } from './docs/errorsPage.ts';
import { httpPage } from './docs/httpPage.ts';
import { limitsPage } from './docs/limitsPage.ts';
import { metricsPage } from './docs/metricsPage.ts';
import { redactionPage } from './docs/redactionPage.ts';
import { settingsPage } from './docs/settingsPage.ts';

const root = join(import.meta.dirname, '..');

/** Pages that are made from the product itself, so that nothing is missing in them. */
const generated: Readonly<Record<string, () => string | Promise<string>>> = {
  'docs/reference/settings.md': settingsPage,
  'docs/reference/definitions.md': definitionsPage,
  'definitions/schema.json': definitionSchema,
  'definitions/test-schema.json': testFileSchema,
  'docs/reference/errors.md': errorsPage,
  'docs/reference/http.md': httpPage,
  'docs/reference/limits.md': limitsPage,
  'docs/reference/metrics.md': metricsPage,
  'docs/reference/cli.md': cliPage,
  'docs/reference/redaction.md': redactionPage,
  'docs/reference/dialect.md': dialectPage,
  'console/src/api/types.ts': consoleTypes,
};

const mark = '<!-- Made by "npm run docs". Change the source, not this page. -->\n\n';

/** `npm run docs` writes the generated pages; with `--check` it says what is not current or leads nowhere. */
async function docs(isCheck: boolean): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [file, page] of Object.entries(generated)) {
    const path = join(root, file);
    const text = (file.endsWith('.md') ? mark : '') + (await page());
    const current = existsSync(path) ? readFileSync(path, 'utf8') : '';
    if (current === text) continue;
    if (isCheck) problems.push(`${file} is not current; run "npm run docs"`);
    else {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      console.log(`   wrote ${file}`);
    }
  }
  const ofCommands = ['LOGMILL_CONFIG', 'LOGMILL_URL', 'LOGMILL_TOKEN', 'LOGMILL_OLD_TOKEN'];
  const settings = new Set([...settingNames.map(environmentName), ...ofCommands]);
  const commands = new Set((await documentedProgram()).commands.map((command) => command.name()));
  return [
    ...problems,
    ...linkProblems(root),
    ...decisionProblems(join(root, 'docs', 'decisions')),
    ...unknownNames(root, settings, commands),
  ];
}

const problems = await docs(process.argv.includes('--check'));
for (const problem of problems) console.error(`   ${problem}`);
console.log(`   ${Object.keys(generated).length} generated pages, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
