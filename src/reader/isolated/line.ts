// The child's end of the channel: receives commands one at a time, and can ask the reader questions during a command.

import type { Channel, Message } from '../../isolation/index.ts';
import type { Answer, Command, Question, Reply } from './messages.ts';

/** The channel, with replies separated from commands, so that questions can be asked during a command. */
export class Line {
  readonly #channel: Channel;
  readonly #asked = new Map<number, (reply: Message) => void>();
  readonly #commands: Message[] = [];
  #waiting: ((command: Message) => void) | undefined;
  #questions = 0;

  constructor(channel: Channel) {
    this.#channel = channel;
    void this.#listen();
  }

  async command(): Promise<{ readonly command: Command; readonly body: Uint8Array }> {
    const message =
      this.#commands.shift() ??
      (await new Promise<Message>((resolve) => {
        this.#waiting = resolve;
      }));
    // The reader sends only commands and replies, and replies were filtered out.
    return { command: message.head as unknown as Command, body: message.body };
  }

  answer(answer: Answer, body?: Uint8Array): Promise<void> {
    return this.#channel.send(answer, body);
  }

  async ask(
    question: Question,
    body?: Uint8Array,
  ): Promise<{ readonly reply: Reply; readonly body: Uint8Array }> {
    const id = this.#questions;
    this.#questions += 1;
    const replied = new Promise<Message>((resolve) => this.#asked.set(id, resolve));
    await this.#channel.send({ ...question, id }, body);
    const message = await replied;
    return { reply: message.head as unknown as Reply, body: message.body };
  }

  async #listen(): Promise<void> {
    try {
      for (;;) {
        const message = await this.#channel.receive();
        const { kind, id } = message.head;
        if (kind === 'reply' && typeof id === 'number') {
          this.#asked.get(id)?.(message);
          this.#asked.delete(id);
        } else if (this.#waiting) {
          this.#waiting(message);
          this.#waiting = undefined;
        } else this.#commands.push(message);
      }
    } catch {
      // The reader is gone, so this process has nothing left to do.
      process.exit(0);
    }
  }
}
