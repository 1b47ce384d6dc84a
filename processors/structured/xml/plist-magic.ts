// How a binary property list starts (version 00 is the only one in use); apart from its reader, so that telling one
// costs nothing.

export const PLIST_MAGIC = 'bplist00';
