// npm runs its scripts in the directory of package.json. The paths that a person types are below INIT_CWD, where npm
// was called: `npm --prefix ../probewright run probewright -- check .` reads the person's directory.
process.chdir(process.env.INIT_CWD ?? '.');
await import('../../src/probewright.js');
