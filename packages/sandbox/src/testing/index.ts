export { type DriverContractOptions, driverContract } from './driver-contract.ts';
