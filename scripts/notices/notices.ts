/** Writes THIRD-PARTY-NOTICES.txt, which lists the third-party software in the packages, from what is installed. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { moduleNotices, type ModuleNotice } from './modules.ts'
import {
  partsOfFfmpeg,
  partsOfFigures,
  partsOfLibheif,
  partsOfLibvips,
  type BuiltIn,
} from './native-parts.ts'

export const NOTICES = 'THIRD-PARTY-NOTICES.txt'

const RULE = '='.repeat(100)
const THIN_RULE = '-'.repeat(100)

const PREFACE = `Third-party software in the packages of Mediatray

The source code of Mediatray is under the MIT license (LICENSE). A package also includes the software below. Because that includes
FFmpeg with x264, x265 and other code under the GNU General Public License, a package as a whole is under the GNU General Public
License, version 3 or, at your option, any later version (GPL-3.0-or-later). Anyone who redistributes a package must offer the source
code. Mediatray's is available where the package came from; the source of everything else is named below with each part.

"npm run notices" generates this file from what is installed. The native libraries vary slightly between systems; the lists include
all of them.`

/** @throws Error if anything that is shipped has no notice */
export function makeNotices(root: string): string {
  const ffmpeg = partsOfFfmpeg(root)
  const libvips = partsOfLibvips(root)
  const libheif = partsOfLibheif(root)
  const figures = partsOfFigures(root)
  const modules = moduleNotices(root)
  return [
    PREFACE,
    chapter('1. Programs', bundledPrograms(root).map(describeProgram).join(`\n${THIN_RULE}\n`)),
    chapter('2. FFmpeg and the libraries built into it (node-av)', ffmpeg.map(describePart).join('\n\n')),
    chapter('3. libvips and the libraries built into it (sharp)', libvips.map(describePart).join('\n\n')),
    chapter('4. WebAssembly (libheif-js)', libheif.map(describePart).join('\n\n')),
    chapter('5. Constants in Mediatray’s own code', figures.map(describePart).join('\n\n')),
    chapter('6. Modules', modules.map(describeModule).join(`\n\n${THIN_RULE}\n`)),
    chapter('7. Texts of the licenses named in chapters 2 to 6', standardTexts(root)),
  ]
    .join('\n\n')
    .replaceAll('\r\n', '\n')
    .replaceAll(/[^\S\n]+$/gm, '')
    .concat('\n')
}

const chapter = (title: string, content: string): string => `${RULE}\n${title}\n${RULE}\n\n${content}`

type Program = {
  readonly name: string
  readonly version: string
  readonly source: string
  readonly license: string
  readonly remark: string
  readonly text: string
}

/** Returns the runtimes in a package. */
export function bundledPrograms(root: string): readonly Program[] {
  return [
    {
      name: 'Electron',
      source: 'https://github.com/electron/electron',
      license: 'MIT',
      remark:
        'Electron includes Chromium and its third-party code; their licenses are in the package as LICENSES.chromium.html.\n',
      ...versionAndText(folderOf(root, /^electron$/)),
    },
    {
      name: 'Node.js',
      source: 'https://github.com/nodejs/node',
      license: 'MIT, and the licenses of its built-in parts',
      remark: '',
      ...versionAndText(folderOf(root, /^node-(?:linux|darwin|win)-/)),
    },
  ]
}

const versionAndText = (folder: string) => ({
  version: versionIn(folder),
  text: readFileSync(join(folder, 'LICENSE'), 'utf8'),
})

const describeProgram = ({ name, version, license, source, remark, text }: Program): string =>
  `${name} ${version}
License: ${license}
Source:  ${source}
${remark}
${text}`

function folderOf(root: string, name: RegExp): string {
  const found = readdirSync(join(root, 'node_modules')).find((entry) => name.test(entry))
  if (found === undefined)
    throw new Error(`No module matching ${name} is installed, but its license is required`)
  return join(root, 'node_modules', found)
}

const versionIn = (folder: string): string =>
  z.object({ version: z.string() }).parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')))
    .version

const describePart = ({ name, version, licences, copyright, source, remark }: BuiltIn): string =>
  [
    version === undefined ? name : `${name} ${version}`,
    `License: ${licences.join(', ')}`,
    `Copyright © ${copyright}`,
    `Source:  ${source}`,
    ...(remark === undefined ? [] : [remark]),
  ].join('\n')

const describeModule = ({ name, version, license, source, text, author }: ModuleNotice): string =>
  `${name} ${version}
License: ${license}
Source:  ${source}

${text?.trim() ?? `Copyright © ${author}\nThe module includes no license text; the text of the license named above is in chapter 7.`}`

function standardTexts(root: string): string {
  const folder = join(root, 'build/licences')
  const names = readdirSync(folder).filter((name) => name.endsWith('.txt'))
  return names
    .toSorted()
    .map((name) => `${name.slice(0, -'.txt'.length)}\n\n${readFileSync(join(folder, name), 'utf8')}`)
    .join(`\n${THIN_RULE}\n`)
}
