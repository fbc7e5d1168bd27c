/** The id of the agent that is there from the beginning; no other can have it. */
export const ROOT_AGENT_ID = 'root';

/** All that the root agent may use, whatever its role says. */
export const ROOT_TOOL_GROUPS: readonly string[] = Object.freeze(['org_management']);
