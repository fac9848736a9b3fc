import { type CompletedCommand, placeOf, placesOfValues, quoted } from './completedCommands.ts';

/** The completion script for bash, version 3.2 and later. */
export function bashCompletion(commands: readonly CompletedCommand[]): string {
  const below = commands.filter(({ path }) => path.length > 0);
  const files = commands.flatMap((command) => placesOfValues(command, ({ values }) => values.length === 0));
  return `# Completion of logmill for bash. To use it: source <(logmill completion bash)
_logmill_ask() {
  local line=\${COMP_LINE:0:COMP_POINT} word
  while IFS= read -r word; do
    [[ $word == "$1"* ]] && COMPREPLY+=("$word")
  done < <(logmill completion bash "\${line#*logmill }" 2>/dev/null)
}
_logmill() {
  local current=\${COMP_WORDS[COMP_CWORD]} at='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${below.map(({ path }) => quoted(placeOf(path))).join('|')}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at \${COMP_WORDS[COMP_CWORD - 1]}" in
${commands.flatMap(valueCases).join('\n')}
    ${files.map(quoted).join('|')}) return ;;
  esac
  case "$at" in
${commands.map(wordCase).join('\n')}
  esac
}
complete -o default -F _logmill logmill
`;
}

function valueCases(command: CompletedCommand): readonly string[] {
  return command.options
    .filter(({ values }) => values.length > 0)
    .map((option) => {
      const places = placesOfValues(command, (each) => each === option).map(quoted);
      return `    ${places.join('|')}) ${completeFrom(option.values)}; return ;;`;
    });
}

function wordCase({ path, words, options, isAsked }: CompletedCommand): string {
  const flags = options.flatMap((option) => option.flags);
  const others = isAsked
    ? ' else _logmill_ask "$current";'
    : words.length === 0
      ? ''
      : ` else ${completeFrom(words.map(({ name }) => name))};`;
  return `    ${quoted(placeOf(path))}) if [[ $current == -* ]]; then ${completeFrom(flags)};${others} fi ;;`;
}

const completeFrom = (words: readonly string[]): string =>
  `COMPREPLY=($(compgen -W ${quoted(words.join(' '))} -- "$current"))`;
