/** Attributes of a measurement, in OpenTelemetry's types. */
export type MetricAttributes = Readonly<Record<string, string>>;

interface InstrumentOptions {
  readonly description: string;
  /** In UCUM: `s`, `{token}`, `{USD}`. */
  readonly unit: string;
}
interface Histogram {
  record(value: number, attributes: MetricAttributes): void;
}
interface Counter {
  add(value: number, attributes: MetricAttributes): void;
}

/** The required part of an OpenTelemetry `Meter`. */
export interface MeterLike {
  createHistogram(name: string, options: InstrumentOptions): Histogram;
  createCounter(name: string, options: InstrumentOptions): Counter;
  createUpDownCounter(name: string, options: InstrumentOptions): Counter;
}
