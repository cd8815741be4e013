import type { App } from './app.ts'

/** Waits for a change, then offers to undo it. If the change failed, only the failure is shown. */
export async function offerUndo(
  app: App,
  change: Promise<unknown>,
  text: string,
  undo: () => Promise<unknown>,
): Promise<void> {
  if (!(await app.succeeds(change))) return
  const run = (): void => void app.attempt(undo())
  app.toasts.show(text, { actions: [{ label: app.t.value.actions.undo, run }] })
}
