export { mutate } from '../src/admission/mutate.ts';
export { validate } from '../src/admission/validate.ts';
