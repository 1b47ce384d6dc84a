// The paths of files that a model knows as resources of an MCP server: `workspace:///a/b%20c.csv` is `a/b c.csv`. Every
// other scheme is an ordinary name.

const PREFIX = /^workspace:\/\/\//i;

/**
 * `given` without the scheme and percent-decoded when it is such a URI, else as it is. What it leads to is for the
 * workspace to check, as with every path.
 */
export function pathOf(given: string): string {
  if (!PREFIX.test(given)) return given;
  const path = given.replace(PREFIX, '').split('/').map(decoded).join('/');
  return path === '' ? '.' : path;
}

/** A name that is not percent-encoded UTF-8 was written as it is. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
