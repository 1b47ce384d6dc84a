// Where a machine keeps what can be made again.

import { isAbsolute, join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The folder for converted documents: inside DATA_DIR when that is set, else where the platform keeps caches (XDG Base
 * Directory 0.8 on Linux). Undefined when the environment names no home.
 */
export function cacheDirectory(
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const { DATA_DIR: data, XDG_CACHE_HOME: xdg, HOME: home, LOCALAPPDATA: local } = environment;
  if (data) return join(data, 'cache');
  if (platform === 'win32') return local ? join(local, 'lectern', 'cache') : undefined;
  // "All paths set in these environment variables must be absolute"; a relative one is ignored.
  if (xdg && isAbsolute(xdg)) return join(xdg, 'lectern');
  if (!home || !isAbsolute(home)) return undefined;
  return platform === 'darwin' ? join(home, 'Library', 'Caches', 'lectern') : join(home, '.cache', 'lectern');
}
