// Files of this host: open directories, names of files being written, new folders, temporary files.

export { opensByDescriptor, pathOf } from './descriptor.ts';
export { Directory, type DirectoryEntry, type EntryKind, kindOf } from './directory.ts';
export { makeFolder } from './make-folder.ts';
export { isAbandoned, isReserved, stagingName, sweep } from './staging.ts';
export { TemporaryBytes } from './temporary.ts';
export { unnamedFile } from './unnamed-file.ts';
export { writeAll } from './write-all.ts';
