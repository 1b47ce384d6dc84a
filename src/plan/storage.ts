// Where a plan is kept: the operations it needs on named files, so that a folder, a bucket or a Map can implement them.

/** Named texts. Names are those of files in one folder, without separators. */
export interface PlanStorage {
  /** The text from byte `from` on; undefined if there is no text of that name. */
  read(name: string, from?: number): Promise<string | undefined>;
  /** Replaces the text atomically. */
  write(name: string, text: string): Promise<void>;
  /** Appends durably; `bytes` is the length afterwards. A crash may leave a part of `text`. */
  append(name: string, text: string): Promise<{ readonly bytes: number }>;
  /** Renames a damaged text to an unused name, and returns that name. */
  setAside(name: string): Promise<string>;
  /**
   * Reserves the storage for this process until `release`.
   * @throws {ReaderError} BUSY when another process has it
   */
  lock(): Promise<{ release(): Promise<void> }>;
}

/** A storage in memory. */
export function createPlanMemory(): PlanStorage {
  const texts = new Map<string, string>();
  return {
    read: async (name, from = 0) => {
      const text = texts.get(name);
      return text === undefined || from === 0 ? text : Buffer.from(text).subarray(from).toString();
    },
    write: async (name, text) => {
      texts.set(name, text);
    },
    append: async (name, text) => {
      const whole = (texts.get(name) ?? '') + text;
      texts.set(name, whole);
      return { bytes: Buffer.byteLength(whole) };
    },
    setAside: async (name) => {
      const aside = `${name}.damaged-${texts.size}`;
      texts.set(aside, texts.get(name) ?? '');
      texts.delete(name);
      return aside;
    },
    lock: async () => ({ release: async () => undefined }),
  };
}
