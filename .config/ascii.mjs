// Code in ASCII alone, which V8 keeps and parses at one byte a character.

/** For code without comments whose templates are read as they are: every other character as an escape. */
export const ascii = (code) =>
  code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
