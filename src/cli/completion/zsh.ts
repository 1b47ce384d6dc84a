// The completion script for zsh.

import { type Completed, type CompletedOption, inQuotes, USUAL_COMMAND } from './completed.ts';

export function zshScript(commands: readonly Completed[]): string {
  const names = commands.map(({ name, help }) => `    ${inQuotes(`${name}:${described(help)}`)}`);
  const usual = commands.filter(({ name }) => name === USUAL_COMMAND);
  return `#compdef lectern
# lectern completion for zsh. Add to ~/.zshrc, after compinit: eval "$(lectern completion zsh)"
_lectern() {
  local -a commands=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    _describe command commands
    _files
    return
  fi
  local command=$words[2]
  if [[ $command != -* ]]; then
    shift words
    (( CURRENT -= 1 ))
  fi
  case $command in
${commands.map((command) => `    ${command.name}) _arguments -s ${specsOf(command)} ;;`).join('\n')}
    help) _arguments '1:command:(${commands.map(({ name }) => name).join(' ')})' ;;
${usual.map((command) => `    *) _arguments -s ${specsOf(command)} ;;`).join('\n')}
  esac
}
compdef _lectern lectern
`;
}

function specsOf({ actions, takes, options }: Completed): string {
  const specs = options.map(
    (option) =>
      `--${option.name}${option.value ? '=' : ''}[${described(option.help)}]${option.value ? valueSpec(option) : ''}`,
  );
  if (actions.length > 0) specs.push(`1:action:(${actions.join(' ')})`);
  if (takes === 'files') specs.push('*:file:_files');
  if (takes === 'folder') specs.push('1:folder:_files -/');
  return specs.map(inQuotes).join(' ');
}

function valueSpec({ value = '', choices, isFolder }: CompletedOption): string {
  if (choices.length > 0) return `:${value}:(${choices.join(' ')})`;
  return `:${value}:${isFolder ? '_files -/' : ' '}`;
}

const described = (text: string): string => text.replace(/[[\]:\\]/g, '\\$&');
