// The clock of the contestants: time on the wall, or where LECTERN_BENCH_CLOCK is `cpu`, processor time of this process and
// its threads, which other work on the machine changes little.

const isProcessor = process.env.LECTERN_BENCH_CLOCK === 'cpu';

/** Milliseconds since some moment. @returns {number} */
export function now() {
  if (!isProcessor) return performance.now();
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
