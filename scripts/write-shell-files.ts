/** Writes the command line's manual page and completion scripts to `dist/shell`, from the definitions of its commands. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { SCRIPTS } from '../src/main/cli/completion/scripts.ts'
import { manualPage } from './manual-page.ts'
import { createProgram } from '../src/main/cli/program.ts'

const root = resolve(import.meta.dirname, '..')
const folder = join(root, 'dist/shell')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const program = createProgram(
  () => Promise.resolve(),
  () => undefined,
)
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'mediatray-cli.1'), manualPage(program, String(version)))
writeFileSync(join(folder, 'mediatray-cli.bash'), SCRIPTS.bash)
writeFileSync(join(folder, '_mediatray_cli'), SCRIPTS.zsh)
writeFileSync(join(folder, 'mediatray-cli.fish'), SCRIPTS.fish)
