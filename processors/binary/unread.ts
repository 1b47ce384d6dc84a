// Programs, their resources and fonts that are recognised but not supported.

import type { UnreadFormat } from '../../src/contract/index.ts';

export const unreadBinaries: readonly UnreadFormat[] = [
  {
    extensions: [],
    magic: [
      { starts: 'qres\0\0\0', what: 'a Qt resource file' }, // Qt, RCCResourceLibrary::writeHeader
      { starts: 'BC\xc0\xde', what: 'LLVM bitcode' }, // LLVM bitcode file format
      { starts: 'Microsoft C/C++ MSF 7.00\r\n\x1a', what: 'a PDB file' },
      { starts: '\x80\x01????%!', what: 'a Type 1 font' }, // Adobe Technical Note 5040, 3.3
      { starts: 'wOFF\0\x01', what: 'a WOFF font' }, // WOFF 1.0, 3
      { starts: 'wOFFOTTO', what: 'a WOFF font' },
      { starts: 'wOF2\0\x01', what: 'a WOFF2 font' }, // WOFF 2.0, 4.1
      { starts: 'wOF2OTTO', what: 'a WOFF2 font' },
    ],
  },
];
