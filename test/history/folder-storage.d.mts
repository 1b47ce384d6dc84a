import type { HistoryStorage } from '../../src/history/storage.ts';

export function createFolderStorage(folder: string): HistoryStorage;
