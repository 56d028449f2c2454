/** Lets the phone paint and answer a finger first, where the browser can; elsewhere at once. */
export async function breath(): Promise<void> {
  await globalThis.scheduler?.yield?.();
}
