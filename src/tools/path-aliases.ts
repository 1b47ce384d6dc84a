// Names models use for a path argument, in snake_case, shared by all tools.

/** Each means `path`. */
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
