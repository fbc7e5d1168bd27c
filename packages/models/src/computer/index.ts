export type { ComputerAction, ComputerInput, SafetyCheck } from './computer-action.ts';
export { type ComputerOutcome, type ComputerToolOptions, computerTool } from './computer-tool.ts';
