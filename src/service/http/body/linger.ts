// Closes a connection whose client is still sending. Closed at once, unread bytes make the system reset it, and the client
// loses the answer that tells why (RFC 9112, section 9.6).

import type { Socket } from 'node:net';

/** Time for the client to notice the answer. */
const LINGER_MS = 2_000;

/** What `socket` receives after its last answer is dropped until the client closes, or for two seconds. */
export function lingerAtEnd(socket: Socket): void {
  // Node closes a connection by this method once its last response has been sent.
  socket.destroySoon = () => {
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('end', () => socket.destroy());
    socket.once('close', () => clearTimeout(timer));
    socket.end();
    socket.resume();
  };
}
