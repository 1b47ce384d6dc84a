// The names models give to a path, in snake_case. One table for all tools that take one.

/** Each stands for `path`. */
export const PATH_ALIASES: Readonly<Record<string, string>> = {
  file: 'path',
  file_name: 'path',
  file_path: 'path',
  filename: 'path',
  filepath: 'path',
  absolute_path: 'path',
  relative_path: 'path',
  target_file: 'path',
  files: 'path',
  paths: 'path',
  uri: 'path',
};
