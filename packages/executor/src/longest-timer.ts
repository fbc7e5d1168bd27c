/** 24.8 days, in milliseconds; a timer with more would fire at once. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;
