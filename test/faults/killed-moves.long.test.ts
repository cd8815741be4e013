/** The app is killed while the user moves waiting jobs: each move has happened as a whole or not at all. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startDoomed } from '../doomed.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { roundsOf } from './long-suite.ts'
import { fill, move, namesIn, openIn } from './moves.ts'

const ENTRY = join(import.meta.dirname, 'doomed-moves.ts')

it('moves of a killed process are complete, in the order in which they were made', async () => {
  const folder = temporaryFolder()
  const undisturbed = openIn(temporaryFolder())
  const outbox = openIn(folder)
  await Promise.all([fill(outbox), fill(undisturbed)])
  outbox.close()
  let next = 1
  for (const round of roundsOf(20, 20)) {
    const victim = startDoomed(ENTRY, folder, next)
    await victim.printed(`\n${next + 1 + ((round * 7) % 30)}\n`)
    victim.kill()
    const { lines } = await victim.ended
    const last = Number(lines.at(-1))
    while (next <= last) move(undisturbed, next++)
    const reopened = openIn(folder)
    const found = namesIn(reopened)
    reopened.close()
    const promised = namesIn(undisturbed)
    // The last move may be on disk although the process was killed before it reported that.
    if (found.join() !== promised.join()) move(undisturbed, next++)
    expect(found, `after ${last} moves`).toEqual(namesIn(undisturbed))
    const jobs = found.map((name) => name.slice(0, 1))
    expect(jobs.filter((job, n) => job !== jobs[n - 1])).toHaveLength(new Set(jobs).size)
  }
  undisturbed.close()
})
