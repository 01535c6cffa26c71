export { mutate } from '../../src/webhook/review/mutate.ts';
export { validate } from '../../src/webhook/review/validate.ts';
