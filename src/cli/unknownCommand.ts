import type { Command } from 'commander';
import { nearestName } from '../core/nearestName.ts';

const suggestionsMax = 3;

/**
 * Says that there is no such command, and which one may be meant: one of the same group, or of any other.
 *
 * @param program with all its commands
 * @param word what was typed in place of a command
 */
export function unknownCommand(program: Command, args: readonly string[], word: string): string {
  const group = groupOf(program, args, word);
  const meant = meantBy(program, group, args, word);
  const error = `error: unknown command '${word}'`;
  if (meant.length === 0) return error;
  return `${error}\n(Did you mean ${meant.length === 1 ? '' : 'one of '}${meant.join(', ')}?)`;
}

/** The command that the word was looked up in. */
function groupOf(program: Command, args: readonly string[], word: string): Command {
  let group = program;
  for (const arg of args.slice(0, Math.max(0, args.indexOf(word))))
    group = group.commands.find((command) => command.name() === arg) ?? group;
  return group;
}

function meantBy(program: Command, group: Command, args: readonly string[], word: string): readonly string[] {
  const sibling = nearestName(word, namesOf(group));
  if (sibling !== undefined) return [sibling];
  const all = pathsBelow(program, [program.name()]);
  const name = nearestName(
    word,
    all.map((path) => path.at(-1) ?? ''),
  );
  const named = all.filter((path) => path.at(-1) === name);
  // As in "logmill list tokens".
  const ofGroup = named.filter((path) => path.slice(1, -1).some((each) => args.includes(each)));
  return (ofGroup.length > 0 ? ofGroup : named).slice(0, suggestionsMax).map((path) => path.join(' '));
}

const namesOf = ({ commands }: Command): readonly string[] => commands.map((command) => command.name());

function pathsBelow({ commands }: Command, path: readonly string[]): readonly (readonly string[])[] {
  return commands.flatMap((command) => {
    const below = [...path, command.name()];
    return [below, ...pathsBelow(command, below)];
  });
}
