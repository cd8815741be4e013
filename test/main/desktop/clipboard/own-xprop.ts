import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '../../../temporary-folder.ts'

/**
 * Writes a shell script that is found as xprop. In the script, $OWN is a path that begins names of other files for the test.
 * @returns the environment in which it is found, after entries of PATH that must be ignored
 */
export async function ownXprop(script: string, mode = 0o755): Promise<NodeJS.ProcessEnv & { OWN: string }> {
  const folder = temporaryFolder()
  const path = join(folder, 'xprop')
  await writeFile(path, `#!/bin/sh\n${script}\n`)
  await chmod(path, mode)
  return { PATH: `.::relative:${folder}`, OWN: path }
}

/** A script for the app whose name is in the file `$OWN.front`. Each question is a line in `$OWN.asked`. */
export const FRONT_FROM_FILE = `case "$1" in
  -root)
    echo asked >>"$OWN.asked"
    echo "_NET_ACTIVE_WINDOW(WINDOW): window id # 0x7"
    ;;
  *) echo "WM_CLASS(STRING) = \\"$(/bin/cat "$OWN.front")\\"" ;;
esac`
