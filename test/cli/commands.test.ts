import { describeCommands, isOfExplain } from './command-cases.ts';

describeCommands((file) => !isOfExplain(file));
