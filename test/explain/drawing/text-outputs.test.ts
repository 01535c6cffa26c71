import { describeCommands } from '../../cli/command-cases.ts';

describeCommands('test/explain/drawing/text-outputs.test.ts');
