// Signature of a binary property list (version 00 is the only one in use). Separate from the reader, so that detection
// does not load it.

export const PLIST_MAGIC = 'bplist00';
