// The parts of hyparquet in use, loaded once. Its page decoders and its assembly of nested values are used; its planning
// is not, because it fetches whole column chunks.

type Parts = typeof import('hyparquet/src/metadata.js') &
  typeof import('hyparquet/src/column.js') &
  typeof import('hyparquet/src/assemble.js') &
  typeof import('hyparquet/src/convert.js') &
  typeof import('hyparquet/src/encoding.js') &
  typeof import('hyparquet/src/schema.js') &
  typeof import('hyparquet/src/snappy.js') &
  typeof import('hyparquet/src/delta.js');

export type Library = Pick<
  Parts,
  | 'parquetMetadata'
  | 'parquetSchema'
  | 'parquetHeader'
  | 'readPage'
  | 'assembleNested'
  | 'convert'
  | 'DEFAULT_PARSERS'
  | 'readRleBitPackedHybrid'
  | 'getMaxDefinitionLevel'
  | 'getMaxRepetitionLevel'
  | 'getTreePath'
  | 'snappyUncompress'
  | 'deltaBinaryUnpack'
>;

export async function loadLibrary(): Promise<Library> {
  const [{ parquetMetadata, parquetSchema }, { parquetHeader, readPage }, { assembleNested }, rest] =
    await Promise.all([
      import('hyparquet/src/metadata.js'),
      import('hyparquet/src/column.js'),
      import('hyparquet/src/assemble.js'),
      Promise.all([
        import('hyparquet/src/convert.js'),
        import('hyparquet/src/encoding.js'),
        import('hyparquet/src/schema.js'),
        import('hyparquet/src/snappy.js'),
        import('hyparquet/src/delta.js'),
      ]),
    ]);
  const [
    { convert, DEFAULT_PARSERS },
    { readRleBitPackedHybrid },
    { getMaxDefinitionLevel, getMaxRepetitionLevel, getTreePath },
    { snappyUncompress },
    { deltaBinaryUnpack },
  ] = rest;
  return {
    parquetMetadata,
    parquetSchema,
    parquetHeader,
    readPage,
    assembleNested,
    convert,
    DEFAULT_PARSERS,
    readRleBitPackedHybrid,
    getMaxDefinitionLevel,
    getMaxRepetitionLevel,
    getTreePath,
    snappyUncompress,
    deltaBinaryUnpack,
  };
}
