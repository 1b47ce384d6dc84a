// Parts of a form, whose boundary is `b`.

export const MEGABYTE = 2 ** 20;
export const FORM = 'multipart/form-data; boundary=b';

/** A file. */
export const part = (name, content = 'x') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"; filename="${name}.txt"\r\n\r\n${content}\r\n`;

export const field = (name, content = 'x') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`;
