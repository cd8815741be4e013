/** Runs the recipes of docs/launchers.md as a launcher would, with the real command. */
import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { writeImage } from '../conformance/sample-files.ts'
import { COMMAND } from '../entries.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const page = readFileSync(resolve(import.meta.dirname, '../../docs/launchers.md'), 'utf8')
const recipes = [...page.matchAll(/```(\w+)\n(.*?)```/gs)].map(([, language = '', text = '']) => ({
  language,
  text,
  name: text.split('\n').findLast((line) => line !== '') ?? '',
}))

const execute = promisify(execFile)

/** Writes a program for the recipes' PATH. */
function writeProgram(folder: string, name: string, text: string): void {
  writeFileSync(join(folder, name), text)
  chmodSync(join(folder, name), 0o755)
}

describe('docs/launchers.md', () => {
  it.each(recipes.filter(({ language }) => language === 'sh'))(
    'processes a file whose name has spaces and quotes: $name',
    async ({ text }) => {
      const folder = temporaryFolder()
      const programs = join(folder, 'bin')
      mkdirSync(programs)
      const run = `exec '${process.execPath}' --disable-warning=ExperimentalWarning '${COMMAND}' "$@"`
      writeProgram(programs, 'mediatray-cli', `#!/bin/sh\n${run}\n`)
      // Needs a display; the user takes one of the lines.
      writeProgram(programs, 'rofi', '#!/bin/sh\ngrep -x "Web 1080p"\n')
      const script = join(folder, 'recipe.sh')
      writeFileSync(script, text)
      const photo = await writeImage(join(folder, 'photos', `Ada's "best" photo.jpg`))
      await execute('sh', [script, photo], {
        cwd: folder,
        env: {
          PATH: `${programs}:${process.env['PATH']}`,
          HOME: folder,
          MEDIATRAY_DATA_DIR: join(folder, 'data'),
        },
      })
      const made = readdirSync(join(folder, 'photos'))
      expect(made).toHaveLength(2)
      expect(made).toContain(`Ada's "best" photo.jpg`)
    },
    60_000,
  )

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
