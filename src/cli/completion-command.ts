// `lectern completion`: prints a shell script that completes commands, options and file names.

import { quoted } from '../contract/index.ts';
import { ReaderError } from '../index.ts';
import type { Command } from './command.ts';
import { COMMON_OPTIONS, type Option } from './options.ts';

/** A command and its options. */
interface Completed {
  readonly name: string;
  readonly help: string;
  readonly options: readonly Option[];
}

const SHELLS: Readonly<Record<string, (commands: readonly Completed[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export const completion: Command = {
  options: COMMON_OPTIONS.filter(({ name }) => name !== 'json'),
  async run(words, _values, terminal, all) {
    const [shell = '', ...more] = words;
    const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
    if (script === undefined || more.length > 0)
      throw new ReaderError(
        'BAD_INPUT',
        words.length === 0 ? 'No shell given.' : `${quoted(words.join(' '))} is not a known shell.`,
        'Use `lectern completion bash`, `zsh` or `fish`.',
      );
    const commands = await Promise.all(
      all.map(async ({ name, help, load }) => ({ name, help, options: (await load()).options })),
    );
    await terminal.out(script(commands));
    return 0;
  },
};

const flagsOf = ({ options }: Completed): string => options.map(({ name }) => `--${name}`).join(' ');
/** Quotes a text for a shell with single quotes. */
const inQuotes = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function bashScript(commands: readonly Completed[]): string {
  const cases = commands.map((command) => `      ${command.name}) words="${flagsOf(command)}" ;;`);
  return `# lectern completion for bash. Add to ~/.bashrc: eval "$(lectern completion bash)"
_lectern() {
  local current=\${COMP_WORDS[COMP_CWORD]} words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${commands.map(({ name }) => name).join(' ')} help"
  elif [[ $current == -* ]]; then
    case \${COMP_WORDS[1]} in
${cases.join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ $current != -* ]]; then
    local IFS=$'\\n'
    COMPREPLY+=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _lectern lectern
`;
}

function zshScript(commands: readonly Completed[]): string {
  const described = (text: string): string => text.replace(/[[\]:\\]/g, '\\$&');
  const cases = commands.map(({ name, options }) => {
    const specs = options.map(({ name: flag, value, help }) =>
      inQuotes(`--${flag}${value ? '=' : ''}[${described(help)}]${value ? `:${value}: ` : ''}`),
    );
    return `    ${name}) _arguments -s ${[...specs, "'*:file:_files'"].join(' ')} ;;`;
  });
  const names = commands.map(({ name, help }) => `    ${inQuotes(`${name}:${described(help)}`)}`);
  return `#compdef lectern
# lectern completion for zsh. Add to ~/.zshrc, after compinit: eval "$(lectern completion zsh)"
_lectern() {
  local -a commands=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    _files
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT -= 1 ))
  case $command in
${cases.join('\n')}
  esac
}
compdef _lectern lectern
`;
}

function fishScript(commands: readonly Completed[]): string {
  const lines = commands.flatMap(({ name, help, options }) => [
    `complete -c lectern -n __fish_use_subcommand -a ${name} -d ${inQuotes(help)}`,
    ...options.map(
      ({ name: flag, value, short, help: of }) =>
        `complete -c lectern -n '__fish_seen_subcommand_from ${name}' -l ${flag}${short ? ` -s ${short}` : ''}${value ? ' -x' : ''} -d ${inQuotes(of)}`,
    ),
  ]);
  return `# lectern completion for fish. Add to ~/.config/fish/config.fish: lectern completion fish | source\n${lines.join('\n')}\n`;
}
