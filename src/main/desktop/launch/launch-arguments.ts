/**
 * What a start of the program brings: its arguments, and the folder that relative paths start from. Pure.
 *
 * A second start hands these to the first one. Chromium reorders the arguments and adds its own, so they travel as one JSON
 * string beside them (https://github.com/electron/electron/issues/20322).
 */
import * as z from 'zod'

export const LINK_SCHEME = 'mediatray'

/**
 * What was given to the app itself. Electron that was started from the sources takes its own options first (a test's driver adds
 * some), then the folder of the app, and what follows is the app's.
 */
export function argumentsOfApp(argv: readonly string[], isPackaged: boolean): readonly string[] {
  if (isPackaged) return argv.slice(1)
  const app = argv.findIndex(
    (argument, index) => index > 0 && !argument.startsWith('-') && !isRequire(argv[index - 1]),
  )
  return app < 0 ? [] : argv.slice(app + 1)
}

const isRequire = (option: string | undefined): boolean => option === '-r' || option === '--require'

/**
 * Whether this start makes the app the one that opens links. On Linux the packages bring a desktop entry for them, and Electron
 * would name the one for files, which drops links. What is portable would leave an entry behind that nobody takes away.
 */
export const opensLinks = (platform: NodeJS.Platform, { isPortable }: { readonly isPortable: boolean }) =>
  platform !== 'linux' && !isPortable

const Launch = z.object({ args: z.array(z.string()), cwd: z.string() })
export type Launch = z.infer<typeof Launch>

export const isHidden = ({ args }: Launch): boolean => optionsOf(args).includes('--hidden')

export const asHidden = ({ args, cwd }: Launch): Launch => ({ args: ['--hidden', ...args], cwd })

/** What the jump list, the dock menu and the desktop file ask for. */
export const tasksOf = ({ args }: Launch): readonly LaunchTask[] =>
  TASKS.filter((task) => optionsOf(args).includes(`--${task}`))

const TASKS = ['new-job', 'paste-image'] as const
export type LaunchTask = (typeof TASKS)[number]

/** For desktops that show no tray icons, which an app can't find out: closing the window then quits. */
export const wantsNoTray = ({ args }: Launch): boolean => optionsOf(args).includes('--no-tray')

export const linksOf = ({ args }: Launch): readonly string[] =>
  args.filter((argument) => argument.startsWith(`${LINK_SCHEME}:`))

/** Behind `--` nothing is an option. */
function optionsOf(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--')
  return (end < 0 ? args : args.slice(0, end)).filter((argument) => argument.startsWith('-'))
}

export const encodeLaunch = (launch: Launch): { readonly launch: string } => ({
  launch: JSON.stringify({ args: launch.args, cwd: launch.cwd }),
})

/** @returns undefined where another version, or something else, started */
export function decodeLaunch(additionalData: unknown): Launch | undefined {
  const outer = z.object({ launch: z.string() }).safeParse(additionalData)
  if (!outer.success) return undefined
  try {
    return Launch.safeParse(JSON.parse(outer.data.launch)).data
  } catch {
    return undefined
  }
}
