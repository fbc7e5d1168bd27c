export { type LinearPattern, linearPattern } from './linear-pattern.ts';
export { withoutNulls } from './without-nulls.ts';
