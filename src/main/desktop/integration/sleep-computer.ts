/** Electron can keep a computer awake and not send it to sleep; each system has a command that does. */
import { execFile } from 'node:child_process'

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
