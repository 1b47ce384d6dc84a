// Search results: matches as grep and its like print them (`path:line:text`), and result lists of the web in JSON. Linters and
// compilers print places in the same way.

import { plural } from '../../../contract/index.ts';
import { parsed } from './json-value.ts';
import { counted, listed, others, type Template } from './template.ts';

/** A path has a dot or a slash, and a letter: the time of a log has not. */
const MATCH = /^(?=[^:\n]*[./\\])(?=[^:\n]*[A-Za-z])([^\s:][^:\n]{0,400}):(\d{1,9})[:-]/;
/** A line beside a match, which `grep -C` prints. */
const BESIDE = /^(?=\S*[./\\])[^\s:]{1,400}?-\d{1,9}-/;
/** After the place: a message of a linter or compiler, by its column and one space, or by its level. */
const MESSAGE = /^(?:\d{1,9}: [^\s*]| ?(?:fatal )?(?:error|warning|warn|note|info|hint)\b ?[:[(])/i;
const LEVEL = /^(?:\d{1,9}:)? ?(?:fatal )?(error|warn)(?:ing)?\b/i;
/** As ESLint ends its lines in the format of Unix. */
const LEVEL_LAST = /\[(error|warning)(?:\/[^\]\s]{1,200})?\]$/i;
const FEWEST_MATCHES = 4;
/** Of the lines that say anything those with a place, and of these those with a message. */
const SHARE = 0.8;
const MOST_FILES = 12;
const MOST_HITS = 5;
const MOST_MESSAGES = 3;
const LISTS = ['results', 'items', 'organic_results', 'hits', 'matches', 'documents', 'data'];

export const matches: Template = (text) => {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && line !== '--');
  const places = lines.flatMap((line) => placeIn(line) ?? []);
  if (places.length < FEWEST_MATCHES || places.length < SHARE * lines.length) return null;
  const byFile = counted(places.map(({ file }) => file));
  const messages = places.filter(({ said }) => MESSAGE.test(said)).length;
  const isLint = messages >= SHARE * places.length;
  const rest = others(lines.filter((line) => !MATCH.test(line) && !BESIDE.test(line)));
  return [
    `${plural(places.length, isLint ? 'diagnostic line' : 'matching line')} in ${plural(byFile.length, 'file')}${isLint ? levelsOf(places) : ''}:`,
    ...(isLint
      ? listed(
          places.map(({ line }) => line),
          MOST_MESSAGES,
          'line',
        )
      : []),
    ...rest,
    ...(isLint || rest.length > 0 ? ['By file:'] : []),
    ...listed(
      byFile.map(([file, count]) => `${file}: ${count}`),
      MOST_FILES,
      'file',
    ),
  ];
};

interface Place {
  readonly line: string;
  readonly file: string;
  readonly said: string;
}

function placeIn(line: string): Place | null {
  const [start, file] = MATCH.exec(line) ?? [];
  return start === undefined || file === undefined ? null : { line, file, said: line.slice(start.length) };
}

/** How many messages say each level, where any does. */
function levelsOf(places: readonly Place[]): string {
  const levels = places.map(({ said }) => (LEVEL.exec(said) ?? LEVEL_LAST.exec(said))?.[1]?.toLowerCase());
  const errors = levels.filter((level) => level === 'error').length;
  const warnings = levels.filter((level) => level?.startsWith('warn')).length;
  return errors + warnings > 0 ? `, ${plural(errors, 'error')} and ${plural(warnings, 'warning')}` : '';
}

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
