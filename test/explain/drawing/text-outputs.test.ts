import { describeCommands, isOfExplain } from '../../cli/command-cases.ts';

describeCommands(isOfExplain);
