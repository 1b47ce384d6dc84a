// Loaded before the server: prints as a careless library would, when it is told to.

process.on('SIGUSR2', () => {
  console.log('noise of a log');
  console.info({ noise: 'of an object' });
  process.stdout.write('noise without a line end');
});
