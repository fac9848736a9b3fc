import type { Command } from 'commander';
import { documentedProgram } from './documentedProgram.ts';

/** The page of the command line, from the commands' own help. */
export async function cliPage(): Promise<string> {
  const sections = allOf(await documentedProgram(), []).map(([name, command]) => {
    command.configureOutput({ getOutHelpWidth: () => 110 });
    const help = command.helpInformation().trimEnd();
    return `## ${name}\n\n\`\`\`text\n${help}\n\`\`\``;
  });
  return `# Command line

\`ingest\`, \`query\`, \`queries\` and \`endpoints\` call a running service over HTTP: \`LOGMILL_URL\` names it (default \`http://127.0.0.1:4000\`) and \`LOGMILL_TOKEN\`
holds the token. \`test\` needs no service, \`health\` no token. \`tokens\` opens the store in the data folder directly, also beside a running service. Every flag that is a
[setting](settings.md) can be given by environment or file as well.

Exit codes: 0 done, 1 refused or failed, 2 called wrongly, by settings that cannot be used as well. Results go to standard output, messages to standard error.

${sections.join('\n\n')}
`;
}

function allOf(command: Command, above: readonly string[]): readonly (readonly [string, Command])[] {
  const path = [...above, command.name()];
  return [[path.join(' '), command] as const, ...command.commands.flatMap((below) => allOf(below, path))];
}
