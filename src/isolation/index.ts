// The isolation room: a pool of child processes. A file that crashes or exhausts its reader harms only its process.

export { Channel, type Message } from './channel.ts';
export { confinement } from './confinement.ts';
export { ChildEnded, isOutOfMemory, withRetry } from './ending.ts';
export { type OwnedFolder, ownedFolder, removeAbandoned } from './owned-folder.ts';
export {
  createPool,
  type Lease,
  type LeaseOptions,
  type Pool,
  type PoolOptions,
  type PoolStatus,
} from './pool.ts';
export { runTask, type TaskOutput, type Tasks } from './task.ts';
