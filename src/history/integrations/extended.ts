// Overrides some methods of an object. Everything else is passed through, including private fields, optional methods
// and properties added by later versions.

/**
 * `target` with `methods` overridden. Its own methods run on `target` itself, so their internal calls are not
 * overridden. Writes go to `target`.
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
  // The proxy's traps provide the methods.
  return proxy as T & M;
}
