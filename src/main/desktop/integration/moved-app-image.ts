/** Fixes the files and links that start an AppImage after an update has renamed it. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { callEach } from '../../../node/call-each.ts'
import { hasCode, messageOf } from '../../../node/errors.ts'
import { replaceLinkSync, writeWholeSync } from '../../../node/write-file.ts'
import { autostartFile, programLine } from './login-item.ts'

/**
 * Changes the entry for start at login and the links in `~/.local/bin` to the new path. Call this as soon as the file has its new name,
 * because the app quits then. The new version updates the entries in file managers when it starts.
 * @param to the new path; absolute
 */
export function followMovedAppImage(
  to: string,
  options: {
    /** `APPIMAGE` contains the old path, and is set to the new one. */
    readonly environment: NodeJS.ProcessEnv
    /** Absolute. */
    readonly homeFolder: string
    readonly log: (message: string) => void
  },
): void {
  const { environment, homeFolder, log } = options
  const from = environment['APPIMAGE'] ?? ''
  environment['APPIMAGE'] = to
  const onError = (error: unknown): void => {
    if (!hasCode(error, 'ENOENT')) log(`could not follow the new file name: ${messageOf(error)}`)
  }
  callEach([renameInEntry, renameLinks], onError)

  function renameInEntry(): void {
    const file = autostartFile(environment, homeFolder)
    const before = readFileSync(file, 'utf8')
    const after = before.replace(programLine(from), () => programLine(to))
    if (after !== before) writeWholeSync(file, after)
  }

  function renameLinks(): void {
    const folder = join(homeFolder, '.local/bin')
    const links = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink())
    callEach(
      links.map(
        ({ name }) =>
          () =>
            renameLink(join(folder, name)),
      ),
      onError,
    )
  }

  function renameLink(link: string): void {
    if (readlinkSync(link) !== from) return
    replaceLinkSync(link, to)
  }
}
