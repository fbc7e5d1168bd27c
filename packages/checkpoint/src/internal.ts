/** For the packages of the SDK alone. */
export { checkRewind } from './rewind/check-rewind.ts';
export { failedRewind } from './rewind/rewind-result.ts';
