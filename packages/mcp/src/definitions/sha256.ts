/** SHA-256 of a text, in hexadecimal digits. An import of the module would load ten more at the start of every program. */
export function sha256(text: string): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', text);
}
