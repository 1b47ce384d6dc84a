// Requests under way, so that a service that ends can wait for them.

export interface Work {
  /** Call what it gives once, at the end. */
  begin(): () => void;
  /** Resolves as soon as nothing is under way. */
  idle(): Promise<void>;
}

export function createWork(): Work {
  let underWay = 0;
  let waiting: (() => void)[] = [];
  return {
    begin: () => {
      underWay += 1;
      return () => {
        underWay -= 1;
        if (underWay > 0) return;
        for (const wake of waiting) wake();
        waiting = [];
      };
    },
    idle: () => (underWay === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
}
