import { describeCommands } from '../command-cases.ts';

describeCommands('policy-findings');
