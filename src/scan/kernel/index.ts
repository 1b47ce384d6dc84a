// Exports of the kernel. Each function makes one pass over [from, to) of the memory.

export { json } from './json';
export { lines } from './lines';
export { records } from './records';
export { xml } from './xml';
