/** The beginning of a response's body, and whether it is complete. The rest is not awaited. */
export async function boundedBody(
  response: Response,
  maxBytes: number,
): Promise<{ readonly bytes: Uint8Array; readonly isWhole: boolean }> {
  const kept = new Uint8Array(maxBytes);
  let length = 0;
  const reader = response.body?.getReader();
  try {
    for (;;) {
      const step = await reader?.read();
      if (!step?.value) return { bytes: kept.subarray(0, length), isWhole: true };
      const room = maxBytes - length;
      kept.set(step.value.subarray(0, room), length);
      length += Math.min(room, step.value.length);
      if (step.value.length > room) return { bytes: kept, isWhole: false };
    }
  } finally {
    await reader?.cancel().catch(() => undefined); // it is over, or of no interest
  }
}
