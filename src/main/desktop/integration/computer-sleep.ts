import { execFile } from 'node:child_process'

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

/** Electron can keep a computer awake and not send it to sleep; each system has a command that does. */
const COMMANDS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, readonly string[]]>>> = {
  linux: ['systemctl', ['suspend']],
  darwin: ['pmset', ['sleepnow']],
  win32: ['rundll32.exe', ['powrprof.dll,SetSuspendState', '0,1,0']],
}

export type RunCommand = (
  program: string,
  args: readonly string[],
  done: (error: Error | null) => void,
) => void

export function sleepComputer(
  platform: NodeJS.Platform,
  log: (message: string) => void,
  run: RunCommand = (program, args, done) => void execFile(program, [...args], (error) => done(error)),
): void {
  const command = COMMANDS[platform]
  if (command === undefined) return
  run(command[0], command[1], (error) => {
    if (error !== null) log(`the computer could not be sent to sleep: ${error.message}`)
  })
}
