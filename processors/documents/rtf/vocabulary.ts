// The control words of RTF by their meaning for the text (RTF 1.9.1): which destinations belong to the document, which
// words are characters.

import { pairs, words } from '../words.ts';

/** Fields of `\info` that are kept. */
export const INFO: readonly string[] = words(
  'title subject author keywords company operator doccomm category manager',
);
/** Destinations whose text is not part of the document. */
export const SKIPPED: ReadonlySet<string> = new Set(
  words(
    'colortbl filetbl revtbl rsidtbl listtable listoverridetable pgptbl xmlnstbl latentstyles datastore ' +
      'themedata colorschememapping generator nonshppict shprslt objdata objclass objname ftnsep ftnsepc ' +
      'ftncn aftnsep aftnsepc aftncn xe tc tcn rxe txe bkmkstart bkmkend atnid atnref atndate atntime ' +
      'atnparent atrfstart atrfend nonesttables template falt panose fname ffdeftext formfield datafield ' +
      'sp background mmathPr',
  ),
);
/** Ignorable destinations (`\*`) whose text is part of the document. */
export const KEPT: ReadonlySet<string> = new Set(
  words(
    'shppict shpinst shptxt do dptxbxtext annotation atnauthor ud fldinst listtext pntext footnote pn ' +
      'pntxta pntxtb moMath',
  ),
);
export const CHARACTERS: ReadonlyMap<string, string> = pairs(
  'line \n lbr \n softline \n emdash \u2014 endash \u2013 bullet \u2022 lquote \u2018 rquote \u2019 ldblquote \u201c ' +
    'rdblquote \u201d emspace \u2003 enspace \u2002 qmspace \u2005 zwj \u200d zwnj \u200c ltrmark \u200e rtlmark \u200f',
);
export const SYMBOLS: ReadonlyMap<string, string> = pairs('~ \u00a0 _ \u2011 { { } } \\ \\');
