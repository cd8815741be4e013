/** Shaped like Electron's `powerSaveBlocker`. */
export type SleepBlocker = {
  start(type: 'prevent-app-suspension'): number
  stop(id: number): unknown
}

export interface KeepAwake {
  /** @param wanted the setting; @param working a job runs, or results are on their way */
  update(state: { readonly wanted: boolean; readonly working: boolean }): void
  close(): void
}

/** Keeps the computer, but not its screen, awake while it works. Waiting for a service is no work. */
export function createKeepAwake(blocker: SleepBlocker): KeepAwake {
  let held: number | undefined

  function release(): void {
    if (held !== undefined) blocker.stop(held)
    held = undefined
  }

  return {
    update({ wanted, working }) {
      if (wanted && working) held ??= blocker.start('prevent-app-suspension')
      else release()
    },
    close: release,
  }
}
