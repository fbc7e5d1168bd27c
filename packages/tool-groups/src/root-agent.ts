/** The id of the agent that exists from the beginning; no other can have it. */
export const ROOT_AGENT_ID = 'root';

/** The groups of the root agent, whatever its role says. */
export const ROOT_TOOL_GROUPS: readonly string[] = Object.freeze(['org_management']);
