// What the reader asks of a cache of converted documents. Trouble with a cache is never trouble for the reader.

/** Bytes by key, kept between reads. Neither call ever throws. Keys are lower-case letters, digits, dots and dashes. */
export interface ConversionCache {
  /** Exactly the bytes that were put, the caller's own; undefined for anything else. */
  get(key: string): Promise<Uint8Array | undefined>;
  put(key: string, bytes: Uint8Array): Promise<void>;
}
