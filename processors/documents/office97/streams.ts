// The streams at the top of a compound file.

import { NotThisFormat } from '../../../src/contract/index.ts';
import { CompoundFile } from '../../../src/package/index.ts';

export interface Streams {
  readonly compound: CompoundFile;
  /** Empty if it is missing. */
  stream(name: string): Buffer;
}

/** @throws {ReaderError} CORRUPT_FILE; NotThisFormat without the stream `main`, which makes it `what` */
export function openStreams(bytes: Uint8Array, main: string, what: string): Streams {
  const compound = new CompoundFile(bytes);
  const entries = compound.children(compound.root).filter(({ folder }) => !folder);
  if (!entries.some(({ name }) => name === main))
    throw new NotThisFormat({
      code: 'FORMAT_MISMATCH',
      message: `The file is a compound file, but not ${what}.`,
    });
  return {
    compound,
    stream: (name) => {
      const entry = entries.find((one) => one.name === name);
      return entry ? compound.bytes(entry) : Buffer.alloc(0);
    },
  };
}
