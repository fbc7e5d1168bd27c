export { type EngineContractOptions, engineContract } from './engine-contract.ts';
export { type StoreContractOptions, storeContract } from './store/store-contract.ts';
export type { StoreUnderTest } from './store/store-under-test.ts';
