// Archives and compressed files that are recognised but not supported.

import type { Extension, UnreadFormat } from '../../src/contract/index.ts';

const packed = (extension: Extension, starts: string, what: string, tool: string): UnreadFormat => ({
  extensions: [extension],
  magic: [{ starts, what }],
  advice: `Decompress it (for example with \`${tool}\`) and read the result.`,
});

const archive = (extension: Extension, starts: string, what: string, tool: string): UnreadFormat => ({
  extensions: [extension],
  magic: [{ starts, what }],
  advice: `Unpack it (for example with \`${tool}\`) and read one of its files.`,
});

export const unreadArchives: readonly UnreadFormat[] = [
  packed('.lz4', '\x04\x22\x4d\x18', 'an LZ4 file', 'unlz4'), // LZ4 frame format 1.6
  packed('.lz', 'LZIP\x01', 'an lzip file', 'lzip -d'), // lzip manual, file format
  packed('.z', '\x1f\x9d', 'a compress file', 'gunzip'), // compress(1)
  archive('.rar', 'Rar!\x1a\x07', 'a RAR archive', 'unrar x'), // RAR 5.0 archive format
  archive('.cab', 'MSCF\0\0\0\0', 'a cabinet archive', 'cabextract'), // [MS-CAB] 2.1
  {
    extensions: [],
    magic: [
      // ar(5): the first member's header has 60 bytes, the last two of which are fixed.
      { starts: `!<arch>\n${'?'.repeat(58)}\`\n`, what: 'an ar archive', shared: true },
      { starts: `!<thin>\n${'?'.repeat(58)}\`\n`, what: 'an ar archive' },
    ],
  },
];
