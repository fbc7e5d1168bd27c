export { type VertexProvider, vertex } from './vertex.ts';
export type { VertexOptions } from './vertex-options.ts';
