import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { finderEntries, finderPlaces } from '../../../src/main/desktop/file-managers/finder.ts'
import { presetsOf } from '../../../src/main/desktop/launch/launch-arguments.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { firstOf } from '../../faults/long-suite.ts'
import { both, HOSTILE_NAMES, isVisible } from './hostile-presets.ts'

const PROGRAM = '/Applications/Mediatray.app/Contents/MacOS/Mediatray'

function actionFor(name: string, services = '/Users/ida/Library/Services', program = PROGRAM) {
  const files = finderEntries([both(name)], { services, program })
  const text = (file: string) => files.find(({ path }) => basename(path) === file)?.text ?? ''
  return { files, info: text('Info.plist'), script: stringFor(text('document.wflow'), 'COMMAND_STRING') }
}

const unescaped = (text: string): string =>
  text.replaceAll(
    /&(amp|lt|gt|quot);/g,
    (_match, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"' })[name] ?? '',
  )

/** Returns the string value of a key. */
const stringFor = (plist: string, key: string): string =>
  unescaped(new RegExp(`<key>${key}</key><string>([^<]*)</string>`).exec(plist)?.[1] ?? '')

/** Returns the tags that aren't closed, or closed in the wrong order. */
function unbalanced(xml: string): readonly string[] {
  const open: string[] = []
  const wrong: string[] = []
  for (const [, closing, name, own] of xml.matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/g)) {
    if (own === '/') continue
    if (closing === '') open.push(name ?? '')
    else if (open.pop() !== name) wrong.push(name ?? '')
  }
  return [...wrong, ...open]
}

describe('a Quick Action', () => {
  it('is a workflow bundle, whose information comes last', () => {
    expect(actionFor('Web 2048').files.map(({ path }) => path)).toEqual([
      '/Users/ida/Library/Services/Web 2048 (Mediatray).workflow/Contents/document.wflow',
      '/Users/ida/Library/Services/Web 2048 (Mediatray).workflow/Contents/Info.plist',
    ])
  })

  it('appears in Finder for files that the preset handles, and for folders', () => {
    const [, info] = finderEntries([{ name: 'Web', forPhotos: true, forVideos: false }], {
      services: '/s',
      program: PROGRAM,
    })
    expect(info?.text).toContain(
      '<key>NSSendFileTypes</key><array><string>public.image</string><string>public.folder</string></array>',
    )
    expect(info?.text).toContain('<key>NSMessage</key><string>runWorkflowAsService</string>')
    expect(info?.text).toContain(
      '<dict><key>NSApplicationIdentifier</key><string>com.apple.finder</string></dict>',
    )
  })

  it.each(firstOf(HOSTILE_NAMES, 8))('is well-formed and passes on a name unchanged: %j', (name) => {
    const { files, info, script } = actionFor(name)
    for (const { path, text } of files) {
      expect(unbalanced(text)).toEqual([])
      expect(basename(dirname(dirname(path)))).not.toMatch(/^\.|[/:]/)
      expect(basename(dirname(dirname(path)), '.workflow')).toSatisfy(isVisible)
      expect(Buffer.byteLength(basename(dirname(dirname(path))))).toBeLessThanOrEqual(255)
    }
    expect(stringFor(info, 'default')).toMatch(/^Mediatray: ./)
    expect(stringFor(info, 'default')).toSatisfy(isVisible)
    const printing = script.replace('/usr/bin/open', String.raw`printf '%s\0'`)
    const output = execFileSync('/bin/sh', ['-c', printing, 'sh', 'a b.jpg', '-c.jpg'], { encoding: 'utf8' })
    const args = output.split('\0').slice(0, -1)
    expect(args.slice(0, 5)).toEqual(['-n', '-g', '-b', 'app.mediatray.Mediatray', '--args'])
    expect(presetsOf({ args: args.slice(5), cwd: '/' })).toEqual([name])
    expect(args.slice(-3)).toEqual(['--', 'a b.jpg', '-c.jpg'])
  })

  it('removes itself if the app can’t be opened because it is gone', () => {
    const folder = temporaryFolder()
    const run = (program: string) => {
      const { files, script } = actionFor(`it's "Web"`, folder, program)
      for (const { path, text } of files) {
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, text)
      }
      const { status } = spawnSync('/bin/sh', ['-c', script.replace('/usr/bin/open', 'false'), 'sh', 'a.jpg'])
      return { status, bundle: dirname(dirname(files[0]?.path ?? '')) }
    }
    const failed = run('/bin/sh')
    expect([failed.status, existsSync(failed.bundle)]).toEqual([1, true])
    expect(existsSync(run('/gone').bundle)).toBe(false)
  })

  it('is found again by its name', () => {
    const [place] = finderPlaces('/s')
    expect(place?.filesOf('Web (Mediatray).workflow')).toEqual([
      join('Web (Mediatray).workflow', 'Contents/document.wflow'),
      join('Web (Mediatray).workflow', 'Contents/Info.plist'),
    ])
    expect(place?.filesOf('Web.workflow')).toEqual([])
  })
})
