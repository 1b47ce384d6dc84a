// Tracks running requests, so that a service that shuts down can wait for them.

export interface Work {
  /** Call the returned function once, at the end. */
  begin(): () => void;
  /** Resolves as soon as nothing is running. */
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
