import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const FOLDER = join(import.meta.dirname, '../../.github/workflows')

const actionsIn = (text: string) =>
  [...text.matchAll(/^\s*(?:- )?uses: (.+)$/gm)].map(([, used = '']) => used)

test('every action in the workflows is pinned to a commit, since tags can move', () => {
  const used = readdirSync(FOLDER).flatMap((name) => actionsIn(readFileSync(join(FOLDER, name), 'utf8')))
  expect(used.length).toBeGreaterThan(0)
  for (const action of used) expect(action).toMatch(/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
})
