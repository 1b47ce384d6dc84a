// Public interface of the service room: reading over HTTP for many users.

export { dataFolder } from './data-folder.ts';
export { DATABASE_URL, hasDatabase, openDatabase } from './database.ts';
export { SCOPES, type Scope } from './identity.ts';
export { makeKey } from './keys/key.ts';
export { createKeyStore, type KeyStore } from './keys/key-store.ts';
export type { ServiceOptions } from './parts.ts';
export { type Service, startService } from './service.ts';
