import { NOTHING_KNOWN, type State } from '../../../src/engine/command/state.ts';

/** The point before the first command of a script, with status 0. */
export const START: State = {
  flow: 'next',
  status: '0',
  isErrexit: false,
  isPipefail: false,
  isNounset: false,
  variables: NOTHING_KNOWN,
  isSure: true,
  ran: 0n,
};
