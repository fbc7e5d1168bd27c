export { delegated } from './delegated.ts';
export { type Delegating, type Delegation, delegate } from './delegation.ts';
