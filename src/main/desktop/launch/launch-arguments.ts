/**
 * Parses and encodes a launch: its arguments, and the folder that relative paths refer to. Has no side effects.
 *
 * A second instance passes its launch to the first one. Chromium reorders the arguments and adds its own, so they are passed
 * separately as one JSON string (https://github.com/electron/electron/issues/20322).
 */
import * as z from 'zod'
import { pathsFromArguments } from '../../intake/index.ts'
import { PRESET_OPTION } from '../preset-option.ts'

export const LINK_SCHEME = 'mediatray'

/**
 * Returns the arguments meant for the app. When Electron runs from source, its own options come first (test drivers add some),
 * then the app folder, then the app's arguments.
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
 * Whether this app registers as the handler of its links. On Linux the packages install a desktop entry for links, whereas Electron
 * would register the entry for files, which ignores links. A portable app would leave an entry behind. An app run from source would
 * take over an installed app's links and start Electron without the app.
 */
export const opensLinks = (
  platform: NodeJS.Platform,
  { isPackaged }: { readonly isPackaged: boolean },
  { isPortable }: { readonly isPortable: boolean },
) => platform !== 'linux' && isPackaged && !isPortable

const Launch = z.object({
  args: z.array(z.string()),
  cwd: z.string(),
  /**
   * The program to start for this launch. Differs from the running program after an update, because an updated AppImage has a new
   * name.
   */
  program: z.string().optional(),
})
export type Launch = z.infer<typeof Launch>

export type LaunchRequest =
  | { readonly kind: 'launch'; readonly launch: Launch }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'link'; readonly url: string }
  /** A click on the dock icon, or a second launch whose data can't be read. */
  | { readonly kind: 'activate' }

export const isHidden = ({ args }: Launch): boolean => optionsOf(args).includes('--hidden')

export const asHidden = ({ args, cwd }: Launch): Launch => ({ args: ['--hidden', ...args], cwd })

/** Tasks requested by the jump list, the dock menu or the desktop file. */
export const tasksOf = ({ args }: Launch): readonly LaunchTask[] =>
  TASKS.filter((task) => optionsOf(args).includes(`--${task}`))

const TASKS = ['new-job', 'paste-image'] as const
export type LaunchTask = (typeof TASKS)[number]

/**
 * Whether `--no-tray` was passed. Users pass it if the desktop doesn't show tray icons but the app can't detect that. Closing the window
 * then quits the app.
 */
export const wantsNoTray = ({ args }: Launch): boolean => optionsOf(args).includes('--no-tray')

export const linksOf = ({ args }: Launch): readonly string[] =>
  args.filter((argument) => argument.startsWith(`${LINK_SCHEME}:`))

/** Returns the presets to start a job with, in the order given. */
export const presetsOf = ({ args }: Launch): readonly string[] => splitPresets(args).presets

/** Returns the absolute paths of the files in a launch. */
export const filesOf = ({ args, cwd }: Launch): readonly string[] =>
  pathsFromArguments(splitPresets(args).others, cwd).paths

/** Separates the presets' options and their values, which aren't files, from the other arguments. */
function splitPresets(args: readonly string[]): {
  readonly presets: readonly string[]
  readonly others: readonly string[]
} {
  const end = args.indexOf('--')
  const options = end < 0 ? args : args.slice(0, end)
  const presets: string[] = []
  const others: string[] = []
  for (let index = 0; index < options.length; index++) {
    const [, name, value] = /^(--preset(?:-base64)?)(?:=([^]*))?$/.exec(options[index] ?? '') ?? []
    if (name === undefined) {
      others.push(options[index] ?? '')
      continue
    }
    const given = value ?? options[++index]
    if (given === undefined) continue
    const preset = name === PRESET_OPTION ? given : Buffer.from(given, 'base64url').toString()
    if (preset !== '' && !presets.includes(preset)) presets.push(preset)
  }
  return { presets, others: [...others, ...args.slice(options.length)] }
}

/** Arguments after `--` are never options. */
function optionsOf(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--')
  return (end < 0 ? args : args.slice(0, end)).filter((argument) => argument.startsWith('-'))
}

export const encodeLaunch = (launch: Launch): { readonly launch: string } => ({
  launch: JSON.stringify(launch),
})

export type Start = { readonly program: string; readonly args: readonly string[] }

/**
 * Merges several requests into as few launches as possible: one for each choice of presets, and one for everything else.
 * @param program path of this app, used unless one of the launches names another program
 */
export function nextStarts(requests: readonly LaunchRequest[], program: string): readonly Start[] {
  const launches = requests.flatMap((request) => (request.kind === 'launch' ? [request.launch] : []))
  const next = launches.findLast((launch) => launch.program !== undefined)?.program ?? program
  const picks = Map.groupBy(
    launches.filter((launch) => presetsOf(launch).length > 0),
    (launch) => JSON.stringify(presetsOf(launch)),
  )
  const others = requests.filter(
    (request) => request.kind !== 'launch' || presetsOf(request.launch).length === 0,
  )
  return [
    ...(others.length > 0 ? [{ program: next, args: mergedArguments(others) }] : []),
    ...[...picks.values()].map((same) => ({ program: next, args: pickArguments(same) })),
  ]
}

function mergedArguments(requests: readonly LaunchRequest[]): readonly string[] {
  const launches = requests.flatMap((request) => (request.kind === 'launch' ? [request.launch] : []))
  const isShown = launches.length < requests.length || !launches.every(isHidden)
  const options = new Set(launches.flatMap(({ args }) => optionsOf(args)))
  if (isShown) options.delete('--hidden')
  const opened = requests.flatMap((request) => {
    if (request.kind === 'file') return [request.path]
    if (request.kind === 'link') return [request.url]
    if (request.kind === 'activate') return []
    return [...linksOf(request.launch), ...filesOf(request.launch)]
  })
  return [...options, ...(opened.length > 0 ? ['--', ...opened] : [])]
}

const pickArguments = (launches: readonly Launch[]): readonly string[] => [
  ...launches
    .slice(0, 1)
    .flatMap(presetsOf)
    .flatMap((preset) => [PRESET_OPTION, preset]),
  '--',
  ...launches.flatMap(filesOf),
]

/** @returns undefined if the data comes from an incompatible version or another program */
export function decodeLaunch(additionalData: unknown): Launch | undefined {
  const outer = z.object({ launch: z.string() }).safeParse(additionalData)
  if (!outer.success) return undefined
  try {
    return Launch.safeParse(JSON.parse(outer.data.launch)).data
  } catch {
    return undefined
  }
}
