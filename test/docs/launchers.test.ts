/** Runs the recipes of docs/launchers.md as a launcher would, with the real command. */
import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { writeImage } from '../conformance/sample-files.ts'
import { COMMAND } from '../entries.ts'
import { isLongSuite } from '../faults/long-suite.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const page = readFileSync(resolve(import.meta.dirname, '../../docs/launchers.md'), 'utf8')
const recipes = [...page.matchAll(/```(\w+)\n(.*?)```/gs)].map(([, language = '', text = '']) => ({
  language,
  text,
  name: text.split('\n').findLast((line) => line !== '') ?? '',
}))

const PHOTO = `Ada's "best" photo.jpg`

const execute = promisify(execFile)

/** Writes a program for the recipes' PATH. */
function writeProgram(folder: string, name: string, text: string): void {
  writeFileSync(join(folder, name), text)
  chmodSync(join(folder, name), 0o755)
}

const scripts = recipes.filter(({ language }) => language === 'sh')
/** The recipe with two commands. */
const chosen = scripts.findIndex(({ text }) => text.includes('rofi'))

/** Runs a recipe with a photo. Its `mediatray-cli` is this program. */
async function runRecipe(text: string, command: string): Promise<string> {
  const folder = temporaryFolder()
  const programs = join(folder, 'bin')
  mkdirSync(programs)
  writeProgram(programs, 'mediatray-cli', `#!/bin/sh\n${command}\n`)
  // Needs a display; the user takes one of the lines.
  writeProgram(programs, 'rofi', '#!/bin/sh\ngrep -x "Web 1080p"\n')
  const script = join(folder, 'recipe.sh')
  writeFileSync(script, text)
  const photo = await writeImage(join(folder, 'photos', PHOTO))
  await execute('sh', [script, photo], {
    cwd: folder,
    env: {
      PATH: `${programs}:${process.env['PATH']}`,
      HOME: folder,
      MEDIATRAY_DATA_DIR: join(folder, 'data'),
    },
  })
  return folder
}

describe('docs/launchers.md', () => {
  it.each(scripts.filter((_, index) => isLongSuite || index === chosen))(
    'processes a file whose name has spaces and quotes: $name',
    async ({ text }) => {
      const folder = await runRecipe(
        text,
        `exec '${process.execPath}' --disable-warning=ExperimentalWarning '${COMMAND}' "$@"`,
      )
      const made = readdirSync(join(folder, 'photos'))
      expect(made).toHaveLength(2)
      expect(made).toContain(PHOTO)
    },
    60_000,
  )

  it.each(scripts)('passes the path on as one argument: $name', async ({ text }) => {
    const folder = await runRecipe(
      text,
      'case $1 in presets) echo "  Web 1080p" ;; *) printf "%s\\n" "$@" > "$HOME/arguments" ;; esac',
    )
    const given = readFileSync(join(folder, 'arguments'), 'utf8').trim().split('\n')
    expect(given.slice(0, 3)).toEqual(['submit', '--quiet', '--wait'])
    expect(given.slice(-3)).toEqual(['--beside', '--', join(folder, 'photos', PHOTO)])
    expect(given.join(' ')).toMatch(/ --preset Web 1080p | --format webp --max-size 2048 /)
  })

  it('uses only options that the command has, on other systems too', async () => {
    const { stdout } = await execute(process.execPath, [COMMAND, 'submit', '--help'])
    const used = recipes.flatMap(({ text }) =>
      [...text.matchAll(/ (--[a-z][a-z-]*)/g)].map(([, option]) => option),
    )
    const known = new Set([...stdout.matchAll(/(--[a-z][a-z-]*)/g)].map(([, option]) => option))
    expect(used.filter((option) => !known.has(option))).toEqual([])
    expect(used.length).toBeGreaterThan(recipes.length)
  })
})
