import type { HistoryStorage } from '../../src/history/archive/storage.ts';

export function createFolderStorage(folder: string): HistoryStorage;
