export { type ContractStreams, type ModelContractOptions, modelContract } from './model-contract.ts';
export { type WireAnswer, type WireRequest, type WireScript, type WireServer, wireServer } from './wire-server.ts';
