import { Argument, Command } from 'commander';
import type { CliContext } from '../cliContext.ts';
import { bashCompletion } from '../completion/bashCompletion.ts';
import { completedCommands } from '../completion/completedCommands.ts';
import { fishCompletion } from '../completion/fishCompletion.ts';
import { zshCompletion } from '../completion/zshCompletion.ts';

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

/** `logmill completion`: prints a script by which a shell completes commands and options. */
export function completionCommand(context: CliContext): Command {
  const command = new Command('completion')
    .description('print a script that completes commands and options in your shell')
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(scripts)))
    .addHelpText(
      'after',
      `
Add the line of your shell to its start file:
  bash  source <(logmill completion bash)
  zsh   source <(logmill completion zsh)    (after compinit)
  fish  logmill completion fish | source`,
    );
  return command.action((shell: keyof typeof scripts) => {
    if (command.parent === null) throw new Error('completion needs the commands beside it');
    context.out(scripts[shell](completedCommands(command.parent)));
  });
}
