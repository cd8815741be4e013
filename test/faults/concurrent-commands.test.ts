/** Runs several real commands at once, each with its own built-in service, on the same data and results folders. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { firstOf, isLongSuite } from './long-suite.ts'
import { photoFolders, resultsIn } from './photo-folders.ts'

const COMMANDS = 3
/** ms between their starts. */
const GAPS = isLongSuite ? Array.from({ length: 12 }, (_, n) => n * 60) : [0]

it.each(
  firstOf([
    ['while the app would use the built-in service', { connection: 'builtIn' }],
    ['while the app has no service', {}],
  ]),
)('commands that run at the same time each process only their own submissions, %s', async (_, settings) => {
  for (const gap of GAPS) {
    const { command, data, files, out } = photoFolders(1)
    writeFileSync(join(data, 'settings.json'), JSON.stringify({ settings }))
    const ran = await Promise.all(
      Array.from({ length: COMMANDS }, async (__, n) => {
        await sleep(n * gap)
        return command('submit', ...files, '--output', out)
      }),
    )
    for (const { code, events, output } of ran) {
      expect(events.at(-1), output).toMatchObject({
        event: 'finished',
        outcome: { kind: 'done', results: 1 },
      })
      expect(code).toBe(0)
    }
    expect(resultsIn(out)).toHaveLength(COMMANDS)
  }
})
