// Search results: matches in the form of grep (`path:line:text`), and web results in JSON. Linters and compilers print
// locations in the same form.

import { plural } from '../../../contract/index.ts';
import { parsed } from './json-value.ts';
import { counted, listed, others, type Template } from './template.ts';

/** A path has a dot or slash and a letter, unlike a log timestamp. */
const MATCH = /^(?=[^:\n]*[./\\])(?=[^:\n]*[A-Za-z])([^\s:][^:\n]{0,400}):(\d{1,9})[:-]/;
/** A context line, as `grep -C` prints. */
const BESIDE = /^(?=\S*[./\\])[^\s:]{1,400}?-\d{1,9}-/;
/** After the location: a linter or compiler message, recognised by its column and one space, or by its level. */
const MESSAGE = /^(?:\d{1,9}: [^\s*]| ?(?:fatal )?(?:error|warning|warn|note|info|hint)\b ?[:[(])/i;
const LEVEL = /^(?:\d{1,9}:)? ?(?:fatal )?(error|warn)(?:ing)?\b/i;
/** ESLint's `unix` format ends lines with the level. */
const LEVEL_LAST = /\[(error|warning)(?:\/[^\]\s]{1,200})?\]$/i;
const FEWEST_MATCHES = 4;
/** Minimum share of non-empty lines with a location, and of those with a message. */
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

/** Counts of errors and warnings, if there are any. */
function levelsOf(places: readonly Place[]): string {
  const levels = places.map(({ said }) => (LEVEL.exec(said) ?? LEVEL_LAST.exec(said))?.[1]?.toLowerCase());
  const errors = levels.filter((level) => level === 'error').length;
  const warnings = levels.filter((level) => level?.startsWith('warn')).length;
  return errors + warnings > 0 ? `, ${plural(errors, 'error')} and ${plural(warnings, 'warning')}` : '';
}

/** A list of objects with a title or name, each with a URL. */
export const webResults: Template = (text) => {
  const list = listIn(parsed(text));
  if (list === null) return null;
  const hits = list.flatMap((one) => {
    const title = textOf(one, 'title', 'name');
    const url = textOf(one, 'url', 'link', 'href');
    return title !== null && url !== null ? [`${title}: ${url}`] : [];
  });
  if (hits.length === 0 || hits.length < list.length) return null;
  return [`${plural(hits.length, 'result')} with a URL:`, ...listed(hits, MOST_HITS, 'result')];
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
