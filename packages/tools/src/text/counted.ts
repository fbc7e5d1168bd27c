/** Formats a whole number: `30,000`. */
export function counted(amount: number): string {
  return amount.toLocaleString('en-US');
}
