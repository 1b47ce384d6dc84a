// An object with some of its methods replaced, and all else its own: classes with private fields, optional methods and
// properties of versions to come included.

/**
 * `target` as it is, but for `methods`. Its own methods are called on itself; what they call there is not replaced. Writes go
 * to `target`.
 */
export function extended<T extends object, M extends object>(target: T, methods: M): T & M {
  const bound = new Map<PropertyKey, { readonly from: unknown; readonly method: unknown }>();
  const proxy: T = new Proxy(target, {
    get(_, name) {
      if (Object.hasOwn(methods, name)) return Reflect.get(methods, name);
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function' || name === 'constructor') return value;
      const known = bound.get(name);
      if (known?.from === value) return known.method;
      const method: unknown = value.bind(target);
      bound.set(name, { from: value, method });
      return method;
    },
    set: (_, name, value) => Reflect.set(target, name, value, target),
    has: (_, name) => Object.hasOwn(methods, name) || Reflect.has(target, name),
  });
  // The traps answer for the methods.
  return proxy as T & M;
}
