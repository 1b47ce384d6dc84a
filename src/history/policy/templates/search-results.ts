// Search results: matches as grep and its like print them (`path:line:text`), and result lists of the web in JSON.

import { plural } from '../../../contract/index.ts';
import { parsed } from './json-value.ts';
import { counted, listed, type Template } from './template.ts';

/** A path has a dot or a slash, and a letter: the time of a log has not. */
const MATCH = /^(?=[^:\n]*[./\\])(?=[^:\n]*[A-Za-z])([^\s:][^:\n]{0,400}):(\d{1,9})[:-]/;
const FEWEST_MATCHES = 4;
/** Of the lines that say anything. */
const SHARE = 0.8;
const MOST_FILES = 12;
const MOST_HITS = 5;
const LISTS = ['results', 'items', 'organic_results', 'hits', 'matches', 'documents', 'data'];

export const matches: Template = (text) => {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && line !== '--');
  const files = lines.flatMap((line) => MATCH.exec(line)?.[1] ?? []);
  if (files.length < FEWEST_MATCHES || files.length < SHARE * lines.length) return null;
  const byFile = counted(files);
  return [
    `${plural(files.length, 'matching line')} in ${plural(byFile.length, 'file')}:`,
    ...listed(
      byFile.map(([file, count]) => `${file}: ${count}`),
      MOST_FILES,
      'file',
    ),
  ];
};

/** A list of objects with a title or a name, and where each is. */
export const webResults: Template = (text) => {
  const list = listIn(parsed(text));
  if (list === null) return null;
  const hits = list.flatMap((one) => {
    const title = textOf(one, 'title', 'name');
    const url = textOf(one, 'url', 'link', 'href');
    return title !== null && url !== null ? [`${title}: ${url}`] : [];
  });
  if (hits.length === 0 || hits.length < list.length) return null;
  return [`${plural(hits.length, 'result')} with an address:`, ...listed(hits, MOST_HITS, 'result')];
};

function listIn(value: unknown): readonly object[] | null {
  const found =
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? LISTS.map((name): unknown => Reflect.get(value, name)).find(Array.isArray)
      : value;
  if (!Array.isArray(found) || found.length === 0) return null;
  const objects = found.filter((one: unknown): one is object => typeof one === 'object' && one !== null);
  return objects.length === found.length ? objects : null;
}

function textOf(value: object, ...names: readonly string[]): string | null {
  for (const name of names) {
    const text: unknown = Reflect.get(value, name);
    if (typeof text === 'string' && text !== '') return text;
  }
  return null;
}
