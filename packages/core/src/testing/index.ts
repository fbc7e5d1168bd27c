export { collect } from './collect.ts';
export type { ContractCase } from './contract-case.ts';
export type { CommandReply } from './memory-process.ts';
export {
  type CommandScript,
  type MemoryWorkspace,
  type MemoryWorkspaceOptions,
  memoryWorkspace,
} from './memory-workspace.ts';
export {
  type Script,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedReply,
  scriptedModel,
} from './scripted-model.ts';
export { type WorkspaceContractOptions, type WorkspaceUnderTest, workspaceContract } from './workspace-contract.ts';
export { contractCommands } from './workspace-process-cases.ts';
