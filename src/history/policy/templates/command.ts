// Command output: its length, exit status, error and warning lines, and last lines.

import { plural } from '../../../contract/index.ts';
import { withoutDenials } from '../outcome.ts';
import { listed, quote, type Template } from './template.ts';

const TELLING = /\b(?:errors?|fatal|failed|exception|warnings?|warn|panic)\b/i;
const EXIT = /\bexit(?:ed)?(?: with)?(?: code| status)?:? (-?\d{1,10})\b/i;
const MOST_TELLING = 5;
const LAST = 3;

export const command: Template = (text) => {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) return null;
  const exit = lines.find((line) => EXIT.test(line));
  const telling = lines.filter((line) => TELLING.test(withoutDenials(line)));
  return [
    `Output of ${plural(lines.length, 'non-empty line')}`,
    ...(exit === undefined ? [] : [quote(exit.trim())]),
    ...(telling.length > 0
      ? [
          `${plural(telling.length, 'line')} with errors or warnings:`,
          ...listed(telling, MOST_TELLING, 'line'),
        ]
      : []),
    ...(lines.length > LAST ? ['Last lines:'] : []),
    ...lines.slice(-LAST).map(quote),
  ];
};
