import { Command } from 'commander';
import { packageVersion } from '../start/packageInfo.ts';
import type { CliContext } from './cliContext.ts';
import { refuseBlank } from './refuseBlank.ts';

type MakeCommand = (context: CliContext) => Command;

/** The commands by name, loaded on demand so that `serve` does not wait for the others. */
const commands: Readonly<Record<string, () => Promise<MakeCommand>>> = {
  serve: async () => (await import('./commands/serve.ts')).serveCommand,
  health: async () => (await import('./commands/health.ts')).healthCommand,
  ingest: async () => (await import('./commands/ingest.ts')).ingestCommand,
  query: async () => (await import('./commands/query.ts')).queryCommand,
  tail: async () => (await import('./commands/tail.ts')).tailCommand,
  export: async () => (await import('./commands/export.ts')).exportCommand,
  exports: async () => (await import('./commands/exports.ts')).exportsCommand,
  describe: async () => (await import('./commands/describe.ts')).describeCommand,
  compare: async () => (await import('./commands/compare.ts')).compareCommand,
  queries: async () => (await import('./commands/queries.ts')).queriesCommand,
  endpoints: async () => (await import('./commands/endpoints.ts')).endpointsCommand,
  test: async () => (await import('./commands/testEndpoints.ts')).testCommand,
  client: async () => (await import('./commands/client.ts')).clientCommand,
  sources: async () => (await import('./commands/sources.ts')).sourcesCommand,
  projects: async () => (await import('./commands/projects.ts')).projectsCommand,
  tokens: async () => (await import('./commands/tokens.ts')).tokensCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
  backup: async () => (await import('./commands/backup.ts')).backupCommand,
  restore: async () => (await import('./commands/restore.ts')).restoreCommand,
  migrate: async () => (await import('./commands/migrate.ts')).migrateCommand,
  config: async () => (await import('./commands/configPrint.ts')).configCommand,
  completion: async () => (await import('./commands/completion.ts')).completionCommand,
};

/** Needs all others: it tells a shell what they are. */
const tellsOfAll = 'completion';

const versionFlags = ['-v', '--version'] as const;

/**
 * Builds the command `logmill` with the wanted subcommand, with none for its version, or with all subcommands if none has
 * that name (as for help) or the wanted one tells of all.
 */
export async function createProgram(context: CliContext, wanted?: string): Promise<Command> {
  const isNone = versionFlags.some((flag) => flag === wanted);
  const isAlone = wanted !== undefined && wanted !== tellsOfAll && Object.hasOwn(commands, wanted);
  const program = new Command('logmill')
    .description('Runs stored, named, parameterised GoogleSQL queries over log data as an HTTP service.')
    .version(packageVersion(), versionFlags.join(', '), 'print the version')
    .showSuggestionAfterError()
    .hook('preAction', (_program, command) => refuseBlank(command));
  for (const [name, load] of Object.entries(commands)) {
    if (isAlone ? name === wanted : !isNone) program.addCommand((await load())(context));
  }
  nameHelp(program);
  return program;
}

/** Describes `--help` and `help` in the words of the other options and commands, at every level. */
function nameHelp(command: Command): void {
  command.helpOption('-h, --help', 'print help');
  if (command.commands.length === 0) return;
  command.helpCommand('help [command]', 'print help for a command');
  for (const below of command.commands) nameHelp(below);
}
