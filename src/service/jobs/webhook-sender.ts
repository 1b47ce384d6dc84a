// Sends due notifications, a few at a time, so that a slow receiver does not hold up the others.

import type { Clock } from './clock.ts';
import { pause } from './pause.ts';
import type { JobQueue } from './queue.ts';
import { deliver } from './webhook.ts';
import type { AddressRule } from './webhook-address.ts';

const AT_ONCE = 4;
const POLL_MS = 1000;

export interface WebhookSenderOptions {
  readonly queue: JobQueue;
  readonly rule: AddressRule;
  readonly clock: Clock;
  readonly onError?: ((error: unknown) => void) | undefined;
}

export class WebhookSender {
  readonly #options: WebhookSenderOptions;
  readonly #stop = new AbortController();
  #loops: Promise<unknown> | undefined;

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
  }

  start(): void {
    this.#loops ??= Promise.all(Array.from({ length: AT_ONCE }, () => this.#loop()));
  }

  /** Running deliveries are cut off; they are sent again after the restart. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loops;
  }

  async #loop(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const round = new AbortController();
      const either = AbortSignal.any([signal, round.signal]);
      const change = this.#options.queue.changed(either);
      if (!(await this.#sendOne(signal))) await Promise.race([change, pause(POLL_MS, either)]);
      round.abort();
    }
  }

  async #sendOne(signal: AbortSignal): Promise<boolean> {
    const { queue, rule, clock, onError } = this.#options;
    try {
      const delivery = await queue.claimWebhook();
      if (delivery === undefined) return false;
      const timestamp = Math.floor(clock.now() / 1000);
      const outcome = await deliver(delivery, { rule, timestamp, signal });
      if (!signal.aborted) await queue.settleWebhook(delivery, outcome);
      return true;
    } catch (error) {
      onError?.(error);
      return false;
    }
  }
}
