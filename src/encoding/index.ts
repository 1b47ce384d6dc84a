// Public interface of the encoding room: what encoding bytes are in, and their text.

export { type Codec, decodeStandard, isKnown, loadCodec } from './codec.ts';
export { declaredEncoding } from './declared.ts';
export { chosen, detectEncoding, isText } from './detect.ts';
export { encodingOfFields, type FieldEncoding } from './fields.ts';
export type { Guess } from './guess.ts';
export { markOf } from './marks.ts';
export { strayControls } from './plausible-text.ts';
export { wideWithoutMark } from './wide.ts';
