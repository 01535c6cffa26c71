import { describeCommands, isOf } from '../../cli/command-cases.ts';

describeCommands(isOf('explain'));
