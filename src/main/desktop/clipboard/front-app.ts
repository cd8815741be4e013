/** Determines which app is in front. Electron can't report it, so this runs a system program. That doesn't require any permission. */
import { join } from 'node:path'
import { environmentOf, startProgram } from '../../../node/child-process.ts'
import { firstProgram } from '../../../node/program-fault.ts'
import { placesOnPath } from '../../../node/program-places.ts'
import type { Timing } from '../../../node/timing.ts'
import type { Platform } from '../shell.ts'
import { activeWindowIn, macAppIn, macNamesIn, windowNamesIn, windowsNamesIn } from './front-app-output.ts'

export type FrontApp = ReturnType<typeof createFrontApp>

/** Time limit in ms. PowerShell has to compile the declarations that it calls. */
const LIMIT_MS = { darwin: 2_000, linux: 2_000, win32: 5_000 }
/** Maximum output in characters. More than any name needs; a window's properties can have megabytes. */
const MAX_OUTPUT = 65_536

/** Prints the names of the app in front. Fails if there is none: the process ID is then 0, which belongs to the idle process. */
const WINDOWS_SCRIPT = [
  `$ErrorActionPreference = 'Stop'`,
  '[Console]::OutputEncoding = New-Object Text.UTF8Encoding $false',
  `Add-Type -Namespace Mediatray -Name Front -MemberDefinition '[DllImport("user32.dll")] public static extern IntPtr GetForegroundWindow(); [DllImport("user32.dll")] public static extern uint GetWindowThreadProcessId(IntPtr window, out uint id);'`,
  '$id = [uint32]0',
  '$null = [Mediatray.Front]::GetWindowThreadProcessId([Mediatray.Front]::GetForegroundWindow(), [ref]$id)',
  'if ($id -eq 0) { exit 1 }',
  '$app = Get-Process -Id $id',
  '$app.ProcessName',
  'try { $app.Description } catch { }',
].join('; ')

export function createFrontApp(options: {
  readonly platform: Platform
  readonly env: NodeJS.ProcessEnv
  readonly after: Timing['after']
}) {
  const { platform, env, after } = options
  async function program(): Promise<string | undefined> {
    const found = await firstProgram(placesOf(platform, env))
    return found?.fault === undefined ? found?.path : undefined
  }

  /** @returns the program's output; undefined unless the program succeeds in time */
  async function output(path: string, args: readonly string[]): Promise<string | undefined> {
    const child = startProgram(path, {
      args,
      asGroup: true,
      // xprop's output depends on the language.
      env: { ...environmentOf({ env }), LC_ALL: 'C' },
    })
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (more: string) => {
      if (text.length <= MAX_OUTPUT) text += more
      if (text.length > MAX_OUTPUT) child.kill()
    })
    const cancel = after(LIMIT_MS[platform], child.kill)
    const { code } = await child.ended
    cancel()
    return code === 0 && text.length <= MAX_OUTPUT ? text : undefined
  }

  /** Returns all names of the app in front; undefined if unknown. Never throws. */
  async function names(): Promise<readonly string[] | undefined> {
    const path = await program()
    if (path === undefined) return undefined
    const ask = async (...args: readonly string[]): Promise<string> => (await output(path, args)) ?? ''
    switch (platform) {
      case 'darwin': {
        const id = macAppIn(await ask('front'))
        return id === undefined
          ? undefined
          : macNamesIn(await ask('info', '-only', 'bundleid,name,bundlepath', id))
      }
      case 'linux': {
        const id = activeWindowIn(await ask('-root', '_NET_ACTIVE_WINDOW'))
        return id === undefined ? undefined : windowNamesIn(await ask('-id', id, 'WM_CLASS'))
      }
      case 'win32':
        return windowsNamesIn(await ask('-NoProfile', '-NonInteractive', '-Command', WINDOWS_SCRIPT))
    }
  }

  return {
    names,
    /** Whether the required system program is installed. */
    canTell: async (): Promise<boolean> => (await program()) !== undefined,
  }
}

/** Absolute paths. System programs have fixed locations, but the location of xprop depends on the X11 installation. */
function placesOf(platform: Platform, env: NodeJS.ProcessEnv): readonly string[] {
  switch (platform) {
    case 'darwin':
      return ['/usr/bin/lsappinfo']
    case 'linux':
      return placesOnPath('xprop', env, platform)
    case 'win32': {
      const system = join(env['SystemRoot'] ?? 'C:\\Windows', 'System32')
      return [join(system, 'WindowsPowerShell', 'v1.0', 'powershell.exe')]
    }
  }
}
