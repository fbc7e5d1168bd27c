export { type EngineContractOptions, engineContract } from './engine-contract.ts';
export type { StoreUnderTest } from './store/store-under-test.ts';
export { type StoreContractOptions, storeContract } from './store-contract.ts';
