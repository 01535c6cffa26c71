import { SERVE_FLAGS } from './serve-flags.ts';
import { conflictsOfServe } from './serve-conflicts.ts';
import type { CommandDefinition } from '../flags/command-definition.ts';

/** `probewright serve`. */
export const SERVE: CommandDefinition<typeof SERVE_FLAGS> = {
  name: 'serve',
  summary: 'Answer AdmissionReviews over HTTPS',
  usage: '--policies DIR|--kubeconfig FILE [flags]',
  description: [
    'Answers AdmissionReviews over HTTPS at /mutate and /validate, until SIGTERM or SIGINT.',
    'Each flag is also an environment variable. The flag overrides the variable.',
  ],
  positionals: undefined,
  flags: SERVE_FLAGS,
  readsEnvironment: true,
  exitCodes: [
    { code: 0, meaning: 'The server has stopped after a signal.' },
    { code: 2, meaning: 'The server cannot start, or the command line is wrong.' },
  ],
  conflicts: conflictsOfServe,
};
