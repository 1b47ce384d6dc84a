// `lectern cache`: shows or clears the cache of converted documents.

import { oneLine, plural, quoted } from '../contract/index.ts';
import { cacheDirectory, createDiskCache, ReaderError } from '../index.ts';
import type { Command } from './command.ts';
import { COMMON_OPTIONS } from './options.ts';
import { asJson } from './read-command.ts';
import { sizeText } from './sizes.ts';

export const cache: Command = {
  options: COMMON_OPTIONS,
  async run(words, values, terminal) {
    const [what = 'stats'] = words;
    if (words.length > 1 || (what !== 'stats' && what !== 'clear'))
      throw new ReaderError(
        'BAD_INPUT',
        `${quoted(words.join(' '))} is not an action of \`lectern cache\`; expected \`stats\` or \`clear\`.`,
        'Use `lectern cache stats` or `lectern cache clear`.',
      );
    const directory = cacheDirectory(terminal.environment);
    if (directory === undefined)
      throw new ReaderError(
        'BAD_INPUT',
        'No cache directory: LECTERN_DATA_DIR, XDG_CACHE_HOME and the home directory are not set.',
        'Set LECTERN_DATA_DIR to a directory that you own.',
      );
    const disk = createDiskCache({ directory });
    const stats = await (what === 'clear' ? disk.clear() : disk.stats());
    const { entries, bytes, maxBytes } = stats;
    const held = `${plural(entries, 'document')}, ${sizeText(bytes)}`;
    if (values['json'] === true) await terminal.out(asJson(stats));
    else if (what === 'clear') await terminal.out(`Removed ${held} from ${oneLine(directory)}\n`);
    else await terminal.out(`${held} of at most ${sizeText(maxBytes)} in ${oneLine(directory)}\n`);
    return 0;
  },
};
