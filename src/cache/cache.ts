// The cache interface for converted documents. A failing cache never fails a read.

/** Bytes by key, kept between reads. Neither method throws. Keys are lower-case letters, digits, dots and dashes. */
export interface ConversionCache {
  /** Exactly the bytes that were put, owned by the caller; undefined otherwise. */
  get(key: string): Promise<Uint8Array | undefined>;
  put(key: string, bytes: Uint8Array): Promise<void>;
}
