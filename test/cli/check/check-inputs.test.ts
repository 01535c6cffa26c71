import { describeCommands } from '../command-cases.ts';

describeCommands('check');
