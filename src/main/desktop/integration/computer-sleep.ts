import { execFile } from 'node:child_process'

/** The subset of Electron's `powerSaveBlocker` that is used here. */
export type SleepBlocker = {
  start(type: 'prevent-app-suspension'): number
  stop(id: number): unknown
}

/**
 * Keeps the computer awake while jobs or uploads are running, but lets the screen sleep. Waiting for a service doesn't keep it
 * awake.
 */
export function createKeepAwake(blocker: SleepBlocker) {
  let held: number | undefined

  function release(): void {
    if (held !== undefined) blocker.stop(held)
    held = undefined
  }

  return {
    /**
     * @param wanted the setting
     * @param working whether a job is running, or files are being sent or uploaded
     */
    update({ wanted, working }: { readonly wanted: boolean; readonly working: boolean }): void {
      if (wanted && working) held ??= blocker.start('prevent-app-suspension')
      else release()
    },
    close: release,
  }
}

/** The platforms' own commands, because Electron can keep a computer awake but can't suspend it. */
const COMMANDS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, readonly string[]]>>> = {
  linux: ['systemctl', ['suspend']],
  darwin: ['pmset', ['sleepnow']],
  // Not `rundll32 powrprof.dll,SetSuspendState`: rundll32 passes other arguments, so Windows hibernates if it can.
  win32: [
    'powershell.exe',
    [
      '-NoProfile',
      '-NonInteractive',
      '-Command',
      'Add-Type -AssemblyName System.Windows.Forms; [void][System.Windows.Forms.Application]::SetSuspendState("Suspend", $false, $false)',
    ],
  ],
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
    if (error !== null) log(`could not suspend the computer: ${error.message}`)
  })
}
