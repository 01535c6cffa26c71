import { describeCommands } from '../command-cases.ts';

describeCommands('test/cli/fix/fix-cases.test.ts');
