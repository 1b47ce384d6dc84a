// Value types for a file's format and size. No behaviour.

/** As claimed by a processor: lower case, including the dot (`'.csv'`). */
export type Extension = Lowercase<`.${string}`>;

/** Without parameters, lower case (`'text/csv'`). */
export type MimeType = Lowercase<`${string}/${string}`>;

/** A count of bytes. */
export type Bytes = number;

/** A count of tokens of the reader's encoding. */
export type Tokens = number;

/** The kind of file a result describes: the values of `FileExtractionResult.fileType`. */
export type FileType =
  | 'text'
  | 'code'
  | 'markdown'
  | 'csv'
  | 'xlsx'
  | 'ods'
  | 'calendar'
  | 'contacts'
  | 'parquet'
  | 'sqlite'
  | 'json'
  | 'jsonl'
  | 'yaml'
  | 'toml'
  | 'xml'
  | 'notebook'
  | 'html'
  | 'pdf'
  | 'doc'
  | 'docx'
  | 'ppt'
  | 'pptx'
  | 'odt'
  | 'odp'
  | 'epub'
  | 'rtf'
  | 'email'
  | 'image'
  | 'audio'
  | 'video'
  | 'archive'
  | 'binary';
