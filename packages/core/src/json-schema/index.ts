export { type LinearPattern, linearPattern } from './linear-pattern.ts';
