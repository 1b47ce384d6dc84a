// The completion script for fish.

import { type Completed, type CompletedOption, inQuotes, USUAL_COMMAND } from './completed.ts';

const FOLDERS = "-x -a '(__fish_complete_directories)'";

export function fishScript(commands: readonly Completed[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  const lines = commands.flatMap((command) => {
    const { name, help, actions, takes, options } = command;
    const seen = `__fish_seen_subcommand_from ${name}`;
    // `lectern FILE` has the options of the usual command.
    const uses = name === USUAL_COMMAND ? `${seen}; or not __fish_seen_subcommand_from ${names} help` : seen;
    const first = `complete -c lectern -n ${inQuotes(seen)}`;
    return [
      `complete -c lectern -n __fish_use_subcommand -a ${name} -d ${inQuotes(help)}`,
      ...(actions.length > 0
        ? [
            `complete -c lectern -n ${inQuotes(`${seen}; and not __fish_seen_subcommand_from ${actions.join(' ')}`)} -f -a ${inQuotes(actions.join(' '))}`,
          ]
        : []),
      ...(takes === 'folder' ? [`${first} ${FOLDERS}`] : []),
      ...(takes === undefined ? [`${first} -f`] : []),
      ...options.map((option) => optionLine(option, uses)),
    ];
  });
  lines.push(`complete -c lectern -n '__fish_seen_subcommand_from help' -f -a ${inQuotes(names)}`);
  return `# lectern completion for fish. Add to ~/.config/fish/config.fish: lectern completion fish | source\n${lines.join('\n')}\n`;
}

const optionLine = ({ name, short, help, ...option }: CompletedOption, uses: string): string =>
  `complete -c lectern -n ${inQuotes(uses)} -l ${name}${short ? ` -s ${short}` : ''}${valueOfLine(option)} -d ${inQuotes(help)}`;

function valueOfLine({
  value,
  choices,
  isFolder,
}: Pick<CompletedOption, 'value' | 'choices' | 'isFolder'>): string {
  if (choices.length > 0) return ` -x -a ${inQuotes(choices.join(' '))}`;
  if (isFolder) return ` ${FOLDERS}`;
  return value ? ' -x' : '';
}
