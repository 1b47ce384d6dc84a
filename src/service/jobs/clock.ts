// The two clocks of the job queue. Wall time is stored and shown; whether a worker is still alive is judged by monotonic
// time only, which no clock change moves.

export interface Clock {
  /** Milliseconds since 1970; may jump either way. */
  now(): number;
  /** Milliseconds since some moment of this process; never goes back. */
  monotonic(): number;
}

export const SYSTEM_CLOCK: Clock = { now: () => Date.now(), monotonic: () => performance.now() };
