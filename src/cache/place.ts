// The default cache directory.

import { isAbsolute, join } from 'node:path';

import { DATA_DIRECTORY, type Environment, settingOf } from '../contract/index.ts';

/**
 * The folder for converted documents: inside the data directory if set, else the platform's cache folder (XDG Base
 * Directory 0.8 on Linux). Undefined if the environment names no home.
 */
export function cacheDirectory(
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const { XDG_CACHE_HOME: xdg, HOME: home, LOCALAPPDATA: local } = environment;
  const data = settingOf(environment, DATA_DIRECTORY);
  if (data !== undefined) return join(data, 'cache');
  if (platform === 'win32') return local ? join(local, 'lectern', 'cache') : undefined;
  // "All paths set in these environment variables must be absolute"; a relative one is ignored.
  if (xdg && isAbsolute(xdg)) return join(xdg, 'lectern');
  if (!home || !isAbsolute(home)) return undefined;
  return platform === 'darwin' ? join(home, 'Library', 'Caches', 'lectern') : join(home, '.cache', 'lectern');
}
