// Accepts the URIs under which an MCP server exposes files: `workspace:///a/b%20c.csv` is `a/b c.csv`. Any other scheme
// is part of an ordinary name.

const PREFIX = /^workspace:\/\/\//i;

/**
 * The path of such a URI, percent-decoded but for its fragment, which stays a part of the address; anything else
 * unchanged. The workspace validates it like any path.
 */
export function pathOf(given: string): string {
  if (!PREFIX.test(given)) return given;
  const [encoded = '', ...place] = given.replace(PREFIX, '').split('#');
  const path = encoded.split('/').map(decoded).join('/');
  return [path === '' ? '.' : path, ...place].join('#');
}

/** A name that is not percent-encoded UTF-8 is kept unchanged. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
