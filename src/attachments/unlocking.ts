// A reader that passes a password with each file it reads or inspects.

import type { Reader } from '../reader/index.ts';

export function unlocking(reader: Reader, password: string | undefined): Reader {
  if (password === undefined) return reader;
  const own: Pick<Reader, 'read' | 'inspect'> = {
    read: (input, request) => reader.read(input, { ...request, password }),
    inspect: (input, request) => reader.inspect(input, { ...request, password }),
  };
  // A reader of the caller's may be of any class.
  return Object.assign(Object.create(reader) as Reader, own); // `Object.create` returns `any`
}
