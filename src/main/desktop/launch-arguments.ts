/**
 * What a start of the program is asked to do: open files, follow a link, start hidden. Pure.
 *
 * A second start hands its arguments to the first one. Chromium reorders them and adds its own, so they travel as one JSON
 * string beside them (https://github.com/electron/electron/issues/20322).
 */
import { isAbsolute, resolve } from 'node:path'
import * as z from 'zod'

export const LINK_SCHEME = 'mediatray'

const Launch = z.object({
  paths: z.array(z.string()),
  links: z.array(z.string()),
  hidden: z.boolean(),
})
export type Launch = z.infer<typeof Launch>

/** What Chromium and Electron understand; the values of the first come behind `=`. */
const isSwitch = (argument: string): boolean => argument.startsWith('--') || argument === '-'

const isLink = (argument: string): boolean => argument.startsWith(`${LINK_SCHEME}:`)

/**
 * @param args without the program, and without the script where there is one
 * @param cwd what relative paths start from
 */
export function readLaunch(args: readonly string[], cwd: string): Launch {
  const end = args.indexOf('--')
  const before = end < 0 ? args : args.slice(0, end)
  const after = end < 0 ? [] : args.slice(end + 1)
  const named = [...before.filter((argument) => !isSwitch(argument)), ...after].filter((text) => text !== '')
  return {
    paths: named.filter((argument) => !isLink(argument)).map((argument) => absolute(argument, cwd)),
    links: named.filter(isLink),
    hidden: before.includes('--hidden'),
  }
}

/** File managers give paths or `file:` addresses; intake understands both. */
const absolute = (argument: string, cwd: string): string =>
  argument.startsWith('file:') || isAbsolute(argument) ? argument : resolve(cwd, argument)

export const encodeLaunch = (launch: Launch): { readonly launch: string } => ({
  launch: JSON.stringify(launch),
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
