// Where compiled code is kept between processes. Only the program that owns a process chooses such a place: a library
// must not run code from a folder that its host does not know.

/** Bytes by key, which nobody else can write; the caller of `get` owns them. Neither method throws. Keys begin with a hexadecimal digit. */
export interface CompiledCode {
  get(key: string): Promise<Uint8Array | undefined>;
  put(key: string, bytes: Uint8Array): Promise<void>;
}

let kept: CompiledCode | undefined;

/** From now on, this process keeps compiled code in `place`, or nowhere. */
export function keepCompiledCode(place: CompiledCode | undefined): void {
  kept = place;
}

/** Undefined if this process keeps none. */
export const compiledCode = (): CompiledCode | undefined => kept;
