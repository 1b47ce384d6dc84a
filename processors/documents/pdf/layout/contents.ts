// Recognises tables of contents: their titles and entries.

const TITLE =
  /^(?:table of )?contents$|^inhalt(?:sverzeichnis)?$|^sommaire$|^table des mati\u00E8res$|^\u00EDndice$/iu;
const NUMBERED = /\s(?:\d{1,4}|[ivxlc]{1,6})$/u;
const LEADERS = /(?<!\s)\s*(?:[.\u00B7\u2026_]\s*){4,}/u;
const LED = /(?:[.\u00B7\u2026_]\s*){4}\S{0,8}$/u;

/** True for the title of a table of contents. */
export const isContentsTitle = (text: string): boolean => TITLE.test(text);

/** True for an entry that ends with the number of its page. */
export const isNumbered = (text: string): boolean => NUMBERED.test(text);

/** True if dots or lines lead to something short at the end of a line. */
export const isLed = (text: string): boolean => LED.test(text);

/** True if a row of dots or lines is somewhere in a text. */
export const hasLeaders = (text: string): boolean => LEADERS.test(text);

/** The text with its leaders shortened; without those that lead to nothing. */
export const withoutLeaders = (text: string): string =>
  text.replace(LEADERS, ' ... ').replace(/ \.\.\. $/u, '');
