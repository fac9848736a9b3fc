import { type CompletedCommand, placeOf, placesOfValues, quoted } from './completedCommands.ts';

/** The completion script for zsh: sourced after compinit, or a file named `_logmill` in a folder of `fpath`. */
export function zshCompletion(commands: readonly CompletedCommand[]): string {
  const below = commands.filter(({ path }) => path.length > 0);
  const files = commands.flatMap((command) => placesOfValues(command, ({ values }) => values.length === 0));
  return `#compdef logmill
# Completion of logmill for zsh. To use it, after compinit: source <(logmill completion zsh)
_logmill() {
  local at='' i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    case "$at \${words[i]}" in
      (${below.map(({ path }) => quoted(placeOf(path))).join('|')}) at="$at \${words[i]}" ;;
    esac
  done
  case "$at \${words[CURRENT - 1]}" in
${commands.flatMap(valueCases).join('\n')}
    (${files.map(quoted).join('|')}) _files; return ;;
  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    case "$at" in
${commands.map(({ path, options }) => foundCase(path, options.flatMap(describedFlags))).join('\n')}
    esac
  else
    case "$at" in
${commands
  .filter(({ words, isAsked }) => isAsked || words.length > 0)
  .map(({ path, words, isAsked }) => (isAsked ? askCase(path) : foundCase(path, words.map(described))))
  .join('\n')}
    esac
  fi
  # With -o, zsh offers only words that begin with a hyphen.
  if (( ! $#found )); then _files
  elif [[ \${words[CURRENT]} == -* ]]; then _describe -o 'logmill' found
  else _describe 'logmill' found
  fi
}
if [[ $funcstack[1] == _logmill ]]; then _logmill "$@"; else compdef _logmill logmill; fi
`;
}

function valueCases(command: CompletedCommand): readonly string[] {
  return command.options
    .filter(({ values }) => values.length > 0)
    .map((option) => {
      const places = placesOfValues(command, (each) => each === option).map(quoted);
      return `    (${places.join('|')}) compadd -- ${option.values.map(quoted).join(' ')}; return ;;`;
    });
}

const foundCase = (path: readonly string[], found: readonly string[]): string =>
  `      (${quoted(placeOf(path))}) found=(${found.join(' ')}) ;;`;

const askCase = (path: readonly string[]): string =>
  `      (${quoted(placeOf(path))}) compadd -- \${(f)"$(logmill completion zsh "\${(j: :)words[2,CURRENT]}" 2>/dev/null)"}; return ;;`;

const described = ({ name, description }: { readonly name: string; readonly description: string }): string =>
  quoted(`${name.replaceAll(':', String.raw`\:`)}:${description}`);

const describedFlags = ({ flags, description }: CompletedCommand['options'][number]): readonly string[] =>
  flags.map((name) => described({ name, description }));
