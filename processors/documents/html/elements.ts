// Lists of HTML elements: void, block-level, and which elements close which.

type Names = ReadonlySet<string>;

const names = (list: string): Names => new Set(list.split(' '));

/** Elements without content (HTML 13.1.2). */
export const VOID: Names = names(
  'area base basefont bgsound br col command embed frame hr img input isindex keygen link meta param source track wbr',
);

/** Elements that start and end a line of text. */
export const BLOCK: Names = names(
  'address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer ' +
    'form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav noframes ol optgroup option p ' +
    'plaintext pre search section summary table tbody td tfoot th thead tr ul xmp',
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

export const IMPLIED_CLOSE: ReadonlyMap<string, Implied> = new Map<string, Implied>([
  ['li', { closes: names('li'), until: LIST_SCOPE }],
  ['dd', { closes: names('dd dt'), until: new Set([...LIST_SCOPE, 'dl']) }],
  ['dt', { closes: names('dd dt'), until: new Set([...LIST_SCOPE, 'dl']) }],
  ['td', { closes: names('td th caption colgroup'), until: new Set([...TABLE_SCOPE, 'tr']) }],
  ['th', { closes: names('td th caption colgroup'), until: new Set([...TABLE_SCOPE, 'tr']) }],
  ['tr', { closes: names('tr caption colgroup'), until: TABLE_SCOPE }],
  ['tbody', { closes: names('tbody thead tfoot caption colgroup'), until: TABLE_SCOPE }],
  ['thead', { closes: names('tbody thead tfoot caption colgroup'), until: TABLE_SCOPE }],
  ['tfoot', { closes: names('tbody thead tfoot caption colgroup'), until: TABLE_SCOPE }],
  ['option', { closes: names('option'), until: names('select datalist optgroup html') }],
  ['optgroup', { closes: names('option optgroup'), until: names('select html') }],
  ['a', { closes: names('a'), until: CELL_SCOPE }],
  ['button', { closes: names('button'), until: CELL_SCOPE }],
  ['rt', { closes: names('rt rp'), until: names('ruby rtc html') }],
  ['rp', { closes: names('rt rp'), until: names('ruby rtc html') }],
]);

/** Where the search for a paragraph to close ends. */
export const PARAGRAPH_SCOPE: Names = new Set([...CELL_SCOPE, 'button']);

/** Where the search for the element an end tag closes stops, by its name; the default is the cell boundary. */
export function endScope(name: string): Names {
  switch (name) {
    case 'table':
    case 'html':
    case 'body':
      return NOTHING;
    case 'td':
    case 'th':
    case 'tr':
    case 'tbody':
    case 'thead':
    case 'tfoot':
    case 'caption':
      return TABLE_SCOPE;
    case 'li':
      return LIST_SCOPE;
    default:
      return CELL_SCOPE;
  }
}

const NOTHING: Names = new Set();
