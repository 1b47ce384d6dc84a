// The completion script for bash.

import { type Completed, USUAL_COMMAND } from './completed.ts';

export function bashScript(commands: readonly Completed[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  return `# lectern completion for bash. Add to ~/.bashrc: eval "$(lectern completion bash)"
_lectern() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]}
  local words= paths=
  # bash parts --format=csv at the equals sign.
  [ "$current" = = ] && current= && previous=\${COMP_WORDS[COMP_CWORD-1]}
  [ "$previous" = = ] && previous=\${COMP_WORDS[COMP_CWORD-2]}
  case " ${names} help " in
    *" $command "*) ;;
    *) command=${USUAL_COMMAND} ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ] && [[ $current != -* ]]; then
    words="${names} help"
    paths=file
  else
    case $command:$previous in
${commands.flatMap(valueCases).join('\n')}
      *)
        if [[ $current == -* ]]; then
          case $command in
${commands.map((command) => `            ${command.name}) words="${flagsOf(command)}" ;;`).join('\n')}
          esac
        else
          case $command:$COMP_CWORD in
${commands.flatMap(wordCases).join('\n')}
            help:2) words="${names}" ;;
          esac
        fi
        ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  local IFS=$'\\n'
  case $paths in
    file) COMPREPLY+=($(compgen -f -- "$current")) ;;
    folder) COMPREPLY+=($(compgen -d -- "$current")) ;;
  esac
}
complete -o filenames -F _lectern lectern
`;
}

const flagsOf = ({ options }: Completed): string => options.map(({ name }) => `--${name}`).join(' ');

/** After an option: its values, folders, or nothing. */
function valueCases({ name, options }: Completed): string[] {
  const cases: string[] = [];
  const free: string[] = [];
  for (const { name: flag, value, choices, isFolder } of options) {
    const pattern = `${name}:--${flag}`;
    if (choices.length > 0) cases.push(`      ${pattern}) words="${choices.join(' ')}" ;;`);
    else if (isFolder) cases.push(`      ${pattern}) paths=folder ;;`);
    else if (value !== undefined) free.push(pattern);
  }
  if (free.length > 0) cases.push(`      ${free.join('|')}) ;;`);
  return cases;
}

function wordCases({ name, actions, takes }: Completed): string[] {
  const cases = actions.length > 0 ? [`            ${name}:2) words="${actions.join(' ')}" ;;`] : [];
  if (takes === 'files') cases.push(`            ${name}:*) paths=file ;;`);
  if (takes === 'folder') cases.push(`            ${name}:*) paths=folder ;;`);
  return cases;
}
