export type { UsageFacts } from '../telemetry/attributes.ts';
export type { MeterLike, MetricAttributes } from './meter-like.ts';
export { type MetricsOptions, metricsHandler } from './metrics-handler.ts';
