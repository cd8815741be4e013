import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fixtures } from '../renderer/harness/fixtures.ts'

const root = resolve(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/verification.md'), 'utf8')
const [, section = ''] = /\n## States of the window\n([\s\S]*?)\n## /.exec(page) ?? []
const rows = [...section.matchAll(/^\| (`.*`) \| \[\S+\]\(\.\.\/(\S+)\): \*(.+)\* \|$/gm)].map(
  ([, states = '', spec = '', title = '']) => ({
    states: Array.from(states.matchAll(/`([\w-]+)`/g), ([, name = '']) => name),
    spec,
    title,
  }),
)

/** Returns the text of a test from its title to the next one. */
function bodyOf(spec: string, title: string): string {
  const [, rest = ''] = readFileSync(join(root, spec), 'utf8').split(`'${title}'`)
  return rest.split(/\n {2}(?:it|test)\b/)[0] ?? ''
}

describe('the table of states', () => {
  it('has each state once', () => {
    const states = rows.flatMap((row) => row.states)
    expect(states.length).toBeGreaterThan(40)
    expect(states.length).toBe(new Set(states).size)
    expect(rows.length).toBe(section.split('\n').filter((line) => line.startsWith('| `')).length)
  })

  it.each(rows)('names states of the fixtures that the test opens: $title', ({ states, spec, title }) => {
    expect(states.filter((name) => fixtures[name] === undefined)).toEqual([])
    const body = bodyOf(spec, title)
    expect(states.filter((name) => !body.includes(`'${name}'`))).toEqual([])
  })
})
