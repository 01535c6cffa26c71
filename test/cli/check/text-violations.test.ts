import { describeCommands } from '../command-cases.ts';

describeCommands('exceptions-of-text');
