import { describeCommands } from '../../cli/command-cases.ts';

describeCommands('explain');
