import { describeCommands, isOf } from '../command-cases.ts';

describeCommands(isOf('plan'));
