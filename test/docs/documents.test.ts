import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { median } from '../../bench/measure.ts'

const root = resolve(import.meta.dirname, '../..')
const textOf = (page: string) => readFileSync(join(root, page), 'utf8')
const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n')

describe('README.md', () => {
  // Counted like `wc -w`: everything between white space, including code and tables.
  it('has at most 600 words', () => {
    expect(textOf('README.md').trim().split(/\s+/).length).toBeLessThanOrEqual(600)
  })

  it('states the medians of the measured times', () => {
    const rows = [
      ...textOf('docs/performance.md').matchAll(
        /^\| whole command, (60 photos|20 s of 1080p)[^|]*(?<!again), against ([\w-]+) \| ([\d., ]+) × throughput/gm,
      ),
    ]
    const stated = [...textOf('README.md').matchAll(/^- (60 photos|20 s of 1080p) .*/gm)].flatMap(
      ([line, what]) =>
        [...line.matchAll(/([\d.]+) times as fast as `([\w-]+)`/g)].map(([, times, tool]) => ({
          what,
          times,
          tool,
        })),
    )
    expect(stated).toHaveLength(4)
    for (const { what, times = '', tool } of stated) {
      const [, , , runs = ''] = rows.find(([, measured, other]) => measured === what && other === tool) ?? []
      const digits = times.split('.')[1]?.length ?? 0
      expect(median(runs.split(', ').map(Number)).toFixed(digits)).toBe(times)
    }
  })

  it('installs with the commands that the page about installing explains', () => {
    const [, table = ''] = /\n## Install it\n([\s\S]*?)\n## /.exec(textOf('README.md')) ?? []
    const commands = [...table.matchAll(/`([^`\n]*)`/g)]
      .map(([, command = '']) => command)
      .filter((command) => command.includes(' '))
    expect(commands.length).toBeGreaterThan(5)
    const explained = textOf('docs/install.md')
    expect(commands.filter((command) => !explained.includes(`\`${command}\``))).toEqual([])
  })
})

/** Matches a file or folder of the sources, with or without its extension. */
const SOURCE = /`((?:src|test|bench|scripts)\/[\w./-]+)`/g
const LINK = /\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g

/** Returns the anchors that GitHub generates for a page's headings. */
const anchorsOf = (page: string): readonly string[] =>
  [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

describe.each(pages.filter((page) => page !== 'CHANGELOG.md'))('%s', (page) => {
  it('names only source files and folders that exist', () => {
    const missing = [...textOf(page).matchAll(SOURCE)]
      .map(([, path = '']) => path)
      .filter((path) => ['', '.ts', '.tsx'].every((extension) => !existsSync(join(root, path + extension))))
    expect(missing).toEqual([])
  })

  it('links only to files and headings that exist', () => {
    const missing = [...textOf(page).matchAll(LINK)].filter(([, path = '', anchor]) => {
      const target = path === '' ? page : join(dirname(page), path)
      return !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor))
    })
    expect(missing.map(([link]) => link)).toEqual([])
  })
})
