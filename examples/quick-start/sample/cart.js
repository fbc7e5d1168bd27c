/** The sum of a cart in cents; a line without a quantity counts once. */
export function total(lines) {
  let sum = 0;
  for (const line of lines) {
    sum += line.price * line.quantity;
  }
  return sum;
}

/** The sum after a discount in percent, rounded to whole cents. */
export function discounted(lines, percent) {
  return Math.round(total(lines) * (1 - percent / 100));
}
