/** The port for drivers of one's own, and the driver that comes with it. */
export type {
  ContainedCommand,
  ContainedEnd,
  SandboxCapabilities,
  SandboxCommand,
  SandboxDriver,
  SandboxPolicy,
} from './driver/driver.ts';
export { bubblewrapDriver } from './drivers/bubblewrap/bubblewrap-driver.ts';
