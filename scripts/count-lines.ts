/**
 * `npm run count` prints the lines of code per folder: TypeScript and CSS without blank lines, comments and the types of texts. Also
 * prints, per folder, the types that only carry arguments: those named `…Deps`, `…Options` or `…Props`.
 */
import { globSync, readFileSync } from 'node:fs'
import { parseSync } from 'vite'

/** Modules of main and service are counted separately. */
const FOLDER = /^(?:src\/(?:main|service)\/[^/]+\/|src\/[^/]+\/|test\/[^/]+\/|[^/]+\/)/
const GENERATED = 'src/shared/i18n/texts.ts'
const ARGUMENTS = /^(?:export )?(?:type|interface) \w+(?:Deps|Options|Props)\b/gm

type Counts = { lines: number; types: number }

/** Replaces comments with spaces, but keeps the line ends. */
function withoutComments(file: string, text: string): string {
  if (file.endsWith('.css')) return text.replaceAll(/\/\*[^]*?\*\//g, blank)
  let code = text
  for (const { start, end } of parseSync(file, text).comments)
    code = code.slice(0, start) + blank(code.slice(start, end)) + code.slice(end)
  return code
}

const blank = (comment: string): string => comment.replaceAll(/[^\n]/g, ' ')

function countsOf(file: string): Counts {
  const code = withoutComments(file, readFileSync(file, 'utf8'))
  return {
    lines: code.split('\n').filter((line) => line.trim() !== '').length,
    types: code.match(ARGUMENTS)?.length ?? 0,
  }
}

const folders = new Map<string, Counts>()
for (const file of globSync('{src,test,scripts,bench}/**/*.{ts,tsx,css}').map((found) =>
  found.replaceAll('\\', '/'),
)) {
  if (file === GENERATED) continue
  const { lines, types } = countsOf(file)
  const [top = ''] = file.split('/')
  for (const folder of [FOLDER.exec(file)?.[0] ?? top, top]) {
    const counts = folders.get(folder) ?? { lines: 0, types: 0 }
    folders.set(folder, { lines: counts.lines + lines, types: counts.types + types })
  }
}
for (const [folder, { lines, types }] of [...folders].toSorted(([one], [other]) => one.localeCompare(other)))
  console.log(`${String(lines).padStart(7)} ${String(types).padStart(5)}  ${folder}`)
