// Lists of HTML elements: void, block-level, and which elements close which.

type Names = ReadonlySet<string>;

const names = (list: string): Names => new Set(list.split(' '));

/** Elements without content (HTML 13.1.2). */
export const VOID: Names = names(
  'area base basefont bgsound br col command embed frame hr img input isindex keygen link meta param source track wbr',
);

/** Elements whose content is never page text. */
export const DROPPED: Names = names(
  'script style head noembed param source track link meta base basefont bgsound col colgroup rp',
);

export const HEADING: ReadonlyMap<string, number> = new Map(
  [1, 2, 3, 4, 5, 6].map((level) => [`h${level}`, level]),
);

/** Start tags that end an open paragraph (HTML 13.1.2.4). */
export const CLOSES_P: Names = names(
  'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 ' +
    'h5 h6 header hgroup hr main menu nav ol p pre search section summary table ul li dd dt listing plaintext xmp',
);

/** Elements that start and end a line of text. */
export const BLOCK: Names = new Set([
  ...CLOSES_P,
  ...names('body caption frameset html legend noframes optgroup option tbody td tfoot th thead tr'),
]);

/** Elements allowed in `head`; any other start tag begins the body. */
export const HEAD_CONTENT: Names = names(
  'base basefont bgsound link meta title noscript noframes style script template',
);

/** Formatting elements, often closed out of order. */
export const FORMATTING: Names = names(
  'b big code em font i nobr s small strike strong tt u del ins sub sup mark span abbr cite kbd samp var q label',
);

const CELL_SCOPE = names('table td th caption template object html');

/** The open elements a start tag closes, searched from the innermost one up to one of `until`. */
export interface Implied {
  readonly closes: Names;
  readonly until: Names;
}

const LIST_SCOPE = names(
  'ul ol menu dir table td th caption blockquote section article main details fieldset template object html',
);
const TABLE_SCOPE = names('table template html');

const implied = (opened: string, closes: string, until: Names): [string, Implied][] =>
  opened.split(' ').map((name) => [name, { closes: names(closes), until }]);

export const IMPLIED_CLOSE: ReadonlyMap<string, Implied> = new Map<string, Implied>([
  ...implied('li', 'li', LIST_SCOPE),
  ...implied('dd dt', 'dd dt', new Set([...LIST_SCOPE, 'dl'])),
  ...implied('td th', 'td th caption colgroup', new Set([...TABLE_SCOPE, 'tr'])),
  ...implied('tr', 'tr caption colgroup', TABLE_SCOPE),
  ...implied('tbody thead tfoot', 'tbody thead tfoot caption colgroup', TABLE_SCOPE),
  ...implied('option', 'option', names('select datalist optgroup html')),
  ...implied('optgroup', 'option optgroup', names('select html')),
  ...implied('a', 'a', CELL_SCOPE),
  ...implied('button', 'button', CELL_SCOPE),
  ...implied('rt rp', 'rt rp', names('ruby rtc html')),
]);

/** Where the search for a paragraph to close ends. */
export const PARAGRAPH_SCOPE: Names = new Set([...CELL_SCOPE, 'button']);

const IN_TABLE = names('td th tr tbody thead tfoot caption');
const OUTERMOST = names('table html body');

/** Where the search for the element an end tag closes stops, by its name; the default is the cell boundary. */
export function endScope(name: string): Names {
  if (OUTERMOST.has(name)) return NOTHING;
  if (IN_TABLE.has(name)) return TABLE_SCOPE;
  return name === 'li' ? LIST_SCOPE : CELL_SCOPE;
}

const NOTHING: Names = new Set();
