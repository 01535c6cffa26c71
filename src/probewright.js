#!/usr/bin/env node
// The only entry point, in JavaScript that every Node can read: an older Node stops here with a sentence, and not with
// the stack trace of the first thing that it lacks. `import` statements would run first, so there is none.

// The bundle runs on an older Node than the sources, which are TypeScript (scripts/bundle.ts sets both).
const oldest = Number(process.env.PROBEWRIGHT_OLDEST_NODE ?? 24);
const advice =
  process.env.PROBEWRIGHT_NODE_ADVICE ?? 'run "npm ci", which installs it, and then "npm run --silent probewright --"';
if (Number.parseInt(process.versions.node, 10) < oldest) {
  console.error(`probewright: needs Node.js ${oldest} or later, not ${process.versions.node}; ${advice}`);
  process.exitCode = 2;
} else void import('./main.ts');
