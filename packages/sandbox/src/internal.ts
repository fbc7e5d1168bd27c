export { type DriverReason } from './sandbox-unavailable-error.ts';
