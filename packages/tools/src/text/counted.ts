/** A whole number as people write it: `30,000`. */
export function counted(amount: number): string {
  return amount.toLocaleString('en-US');
}
