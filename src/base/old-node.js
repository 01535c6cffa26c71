// In JavaScript that every Node can read.

// The bundle runs on an older Node than the sources, which are TypeScript (scripts/bundle.ts sets both).
const oldest = Number(process.env.PROBEWRIGHT_OLDEST_NODE ?? 24);
const advice =
  process.env.PROBEWRIGHT_NODE_ADVICE ?? 'run "npm ci", which installs it, and then "npm run --silent probewright --"';

/** Why this Node cannot run the program. Undefined for a Node that can. */
export const oldNode =
  Number.parseInt(process.versions.node, 10) < oldest
    ? `probewright: needs Node.js ${oldest} or later, not ${process.versions.node}; ${advice}`
    : undefined;
