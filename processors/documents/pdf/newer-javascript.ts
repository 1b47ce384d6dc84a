// What pdf.js uses of newer versions of JavaScript than Node.js 20 has, for the thread that runs it. Its build for old
// browsers has all of that too, but replaces much that is there already, and takes twice as long to start.

/** Adds what is missing. */
export function addNewerJavaScript(): void {
  for (const [object, methods] of MISSING)
    for (const [name, value] of Object.entries(methods))
      if (!(name in object))
        Object.defineProperty(object, name, { value, writable: true, configurable: true });
}

interface Keyed<K, V> {
  has(key: K): boolean;
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

function getOrInsertComputed<K, V>(this: Keyed<K, V>, key: K, compute: (key: K) => V): V | undefined {
  if (!this.has(key)) this.set(key, compute(key));
  return this.get(key);
}

const MISSING: readonly (readonly [object, Readonly<Record<string, unknown>>])[] = [
  [
    Promise,
    {
      try: <A extends unknown[], T>(action: (...values: A) => T, ...values: A): Promise<Awaited<T>> =>
        new Promise((resolve) => {
          resolve(action(...values) as Awaited<T>);
        }),
      withResolvers<T>(): object {
        let [resolve, reject]: ((value: T) => void)[] = [];
        const promise = new Promise<T>((...settle) => {
          [resolve, reject] = settle;
        });
        return { promise, resolve, reject };
      },
    },
  ],
  [Map.prototype, { getOrInsertComputed }],
  [WeakMap.prototype, { getOrInsertComputed }],
  [
    URL,
    {
      parse(url: string, base?: string): URL | null {
        try {
          return new URL(url, base);
        } catch {
          return null;
        }
      },
    },
  ],
  [
    Uint8Array.prototype,
    {
      toHex(this: Uint8Array): string {
        return Buffer.from(this.buffer, this.byteOffset, this.byteLength).toString('hex');
      },
    },
  ],
  [
    ArrayBuffer.prototype,
    {
      transferToFixedLength(this: ArrayBuffer, length: number = this.byteLength): ArrayBuffer {
        const moved = structuredClone(this, { transfer: [this] });
        if (length <= moved.byteLength) return moved.slice(0, length);
        const longer = new Uint8Array(length);
        longer.set(new Uint8Array(moved));
        return longer.buffer;
      },
    },
  ],
  [
    Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())),
    {
      find<T>(this: Iterable<T>, test: (value: T) => boolean): T | undefined {
        for (const value of this) if (test(value)) return value;
        return undefined;
      },
      some<T>(this: Iterable<T>, test: (value: T) => boolean): boolean {
        for (const value of this) if (test(value)) return true;
        return false;
      },
    },
  ],
];
