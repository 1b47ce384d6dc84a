// What agents write in place of the arguments of search_files, most of it known from grep and similar tools.

import { quoted } from '../contract/index.ts';
import { looksLikeRegex } from '../workspace/index.ts';
import { bad, type Draft, type Given } from './argument-rules.ts';
import { arrangeRoot } from './list-files.ts';

/** Extensions of the languages `type` may name, if the name itself is not one. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['typescript', '*.{ts,tsx,mts,cts}'],
  ['ts', '*.{ts,tsx,mts,cts}'],
  ['javascript', '*.{js,jsx,mjs,cjs}'],
  ['js', '*.{js,jsx,mjs,cjs}'],
  ['python', '*.{py,pyi}'],
  ['py', '*.{py,pyi}'],
  ['rust', '*.rs'],
  ['ruby', '*.rb'],
  ['golang', '*.go'],
  ['csharp', '*.cs'],
  ['cpp', '*.{cpp,cc,cxx,hpp,hh,h}'],
  ['c', '*.{c,h}'],
  ['markdown', '*.{md,markdown}'],
  ['md', '*.{md,markdown}'],
  ['yaml', '*.{yaml,yml}'],
  ['shell', '*.{sh,bash,zsh}'],
  ['sh', '*.{sh,bash,zsh}'],
]);

/** What an answer lists. */
export const MODES: readonly ['content', 'files_with_matches', 'count', 'groups'] = [
  'content',
  'files_with_matches',
  'count',
  'groups',
];

/** Several texts become one expression that matches any of them. */
function arrangeQueries(draft: Draft): void {
  const given = draft.get('query');
  if (!given || !Array.isArray(given.value) || given.value.length < 2) return;
  const texts: unknown[] = given.value;
  if (!texts.every((text) => typeof text === 'string' && text !== ''))
    throw bad(
      `${quoted(given.as)} contains an item that is not text.`,
      'Pass a string, or a list of strings.',
    );
  const regex = draft.get('regex');
  const raw = regex
    ? isTrue(regex.value)
    : given.as === 'regexp' || texts.some((text) => looksLikeRegex(String(text)));
  const parts = texts.map((text) =>
    raw ? `(?:${text})` : String(text).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
  );
  draft.set('query', { ...given, value: parts.join('|') });
  draft.set('regex', { value: true, as: regex?.as ?? given.as });
}

/** Converts them to arguments of the tool. */
export function arrangeSearch(draft: Draft): void {
  arrangeRoot(draft);
  arrangeQueries(draft);
  // `regex` may hold the expression itself instead of a flag.
  const regex = draft.get('regex');
  if (regex && !draft.has('query') && typeof regex.value === 'string') {
    draft.set('query', regex);
    draft.set('regex', { value: true, as: regex.as });
  }
  const expression = draft.get('query');
  if (!draft.has('regex') && expression?.as === 'regexp') draft.set('regex', { value: true, as: 'regexp' });
  for (const name of ['ignore_case', 'case_insensitive', 'i', '_i']) {
    const given = taken(draft, name);
    if (given && !draft.has('case_sensitive'))
      draft.set('case_sensitive', { value: !isTrue(given.value), as: given.as });
  }
  // Lines are always numbered.
  for (const name of ['n', '_n', 'line_numbers', 'show_line_numbers']) taken(draft, name);
  const type = taken(draft, 'type') ?? taken(draft, 'file_type');
  const ending = String(type?.value ?? '')
    .toLowerCase()
    .replace(/^\./, '');
  if (type && !draft.has('glob') && /^[\w+#-]{1,20}$/.test(ending))
    draft.set('glob', { value: TYPES.get(ending) ?? `*.${ending}`, as: type.as });
  const names = taken(draft, 'names_only') ?? taken(draft, 'files_only') ?? taken(draft, '_l');
  if (names && isTrue(names.value) && !draft.has('output_mode'))
    draft.set('output_mode', { value: 'files_with_matches', as: names.as });
  const mode = draft.get('output_mode');
  const known = MODE_NAMES.get(String(mode?.value).toLowerCase());
  if (mode && known !== undefined) draft.set('output_mode', { ...mode, value: known });
  // 0 means no limit.
  if (draft.get('limit')?.value === 0) draft.delete('limit');
}

const MODE_NAMES: ReadonlyMap<string, (typeof MODES)[number]> = new Map([
  ['files', 'files_with_matches'],
  ['paths', 'files_with_matches'],
  ['files_only', 'files_with_matches'],
  ['count_matches', 'count'],
  ['lines', 'content'],
]);

const isTrue = (value: unknown): boolean => /^(?:true|yes|1)$/i.test(String(value));

function taken(draft: Draft, name: string): Given | undefined {
  const given = draft.get(name);
  draft.delete(name);
  return given;
}
