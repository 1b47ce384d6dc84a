// What each preset keeps, in words made of its data, and with the figures of a replay the table that docs/history.md has.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** `lectern/history` of a build; null where it has none. */
export async function historyOf(dist) {
  const file = join(resolve(dist), 'src/history/index.js');
  return existsSync(file) ? import(pathToFileURL(file).href) : null;
}

const percent = (share) => `${Math.round(share * 100)} %`;
/** A mark of a threshold. */
const mark = (at) => (at <= 1 ? percent(at) : String(at).replace(/\B(?=(?:\d{3})+$)/g, ' '));

function keepsOf({ workingSet, messages, mask, pointers, drop, keepRecent }) {
  return [
    workingSet ? 'files in work' : 'the newest',
    messages ? `at most ${messages.at} messages` : '',
    keepRecent > 0 ? `the newest ${percent(keepRecent)} unchanged` : '',
    mask ? `results but the first ${mask.keepFirst} and the last ${mask.keepLast} as lines` : '',
    pointers ? 'files written as pointers' : '',
    drop && drop.without === 'ends' ? 'both ends of the rest' : '',
    drop && drop.without !== 'ends' && drop.notice > 0 ? 'a digest of the rest' : '',
  ]
    .filter((part) => part !== '')
    .join('; ');
}

const HEAD = '| strategy | keeps | at | to | edit | lines | grounded | +tax | cost | mean prompt |';

/** The table; `figuresOf` gives the last cells of a preset. */
export function strategyTable({ PRESET_NAMES, presetOf }, window, figuresOf) {
  const rows = PRESET_NAMES.map((name) => {
    const { threshold, policy } = presetOf(name, window);
    const cells = [
      `\`${name}\``,
      keepsOf(policy),
      mark(threshold.at),
      mark(threshold.to),
      ...figuresOf(name),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [HEAD, HEAD.replace(/[^|]+/g, '---'), ...rows].join('\n');
}
