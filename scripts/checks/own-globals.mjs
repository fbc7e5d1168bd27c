// Each test file begins with the globals of Node: listeners of hono, which the SDK of MCP has too, replace them for their whole process.
const NAMES = ['Request', 'Response'];
const KEPT = Symbol.for('globals of Node');
const known = (globalThis[KEPT] ??= NAMES.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]));
for (const [name, descriptor] of known) Object.defineProperty(globalThis, name, descriptor);
