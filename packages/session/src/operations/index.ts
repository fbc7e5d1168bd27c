export type { SessionMeter } from '../engine/serve-metrics.ts';
