export {
  type CircuitBreaker,
  type CircuitBreakerOptions,
  type CircuitHealth,
  circuitBreaker,
  type GuardedProvider,
} from './circuit-breaker.ts';
export { type ModelRoute, type RoutedModelOptions, routedModel } from './routed-model.ts';
