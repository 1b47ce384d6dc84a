// The targets of links and pictures, and how Markdown writes them. Only safe ones are written, and nothing is fetched.

const SAFE_SCHEMES: ReadonlySet<string> = new Set(['http', 'https', 'mailto', 'ftp', 'tel']);

/**
 * The target of a link if it is safe to show: `http`, `https`, `mailto`, `ftp`, `tel`, an anchor or a relative
 * reference. Undefined for any other scheme (`javascript:`, `data:`, `file:`), a drive letter, and an empty target.
 */
export function safeUrl(url: string): string | undefined {
  // Browsers drop control characters inside a scheme (WHATWG URL, 4.4), so `java\nscript:` is one.
  const target = url.replace(/\p{Cc}/gu, '').trim();
  if (target === '') return undefined;
  const scheme = /^([A-Za-z][A-Za-z\d+.-]*):/.exec(target);
  if (scheme?.[1] !== undefined && !SAFE_SCHEMES.has(scheme[1].toLowerCase())) return undefined;
  return target;
}

/** `target` as a CommonMark link destination: no spaces, no unbalanced brackets. */
export function destination(target: string): string {
  const plain = target.replace(/[\s<>\\|]/g, (char) => encodeURIComponent(char));
  let depth = 0;
  for (let at = 0; at < plain.length && depth >= 0; at += 1) {
    const char = plain.charCodeAt(at);
    if (char === 40) depth += 1;
    else if (char === 41) depth -= 1;
  }
  return depth === 0 ? plain : plain.replaceAll('(', '%28').replaceAll(')', '%29');
}

/** Escapes unbalanced brackets in a label. */
export function balanced(label: string): string {
  let depth = 0;
  let odd = false;
  for (let at = 0; at < label.length; at += 1) {
    const char = label.charCodeAt(at);
    if (char === 92) at += 1;
    else if (char === 91) depth += 1;
    else if (char === 93) depth -= 1;
    if (depth < 0) odd = true;
  }
  return depth === 0 && !odd
    ? label
    : label.replace(/\\?[[\]]/g, (mark) => (mark.length === 2 ? mark : `\\${mark}`));
}
