/** The required part of an OpenTelemetry `Meter`: `metrics.getMeter('...')` of `@opentelemetry/api`. Its owner closes the provider. */
export interface HttpMeter {
  createHistogram(
    name: string,
    options: {
      readonly description: string;
      /** In UCUM: `s`. */
      readonly unit: string;
      readonly advice: { explicitBucketBoundaries: number[] };
    },
  ): { record(value: number, attributes: Readonly<Record<string, string | number>>): void };
}
