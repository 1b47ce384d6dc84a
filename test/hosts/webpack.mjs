// Bundles `app.mjs` of a project with webpack. Arguments: the project, the output folder.

import webpack from 'webpack';

const [, , context, path] = process.argv;
const options = {
  mode: 'production',
  target: 'node20',
  context,
  entry: './app.mjs',
  output: { path, filename: 'app.cjs' },
  externals: { sharp: 'commonjs sharp' },
  // Takes minutes, and shows nothing of what is found at run time.
  optimization: { minimize: false },
};
webpack(options, (failure, stats) => {
  if (failure) throw failure;
  const [error] = stats.toJson({ all: false, errors: true }).errors;
  if (error) throw new Error(error.message);
});
