/** HEIC of a phone's size through the service's processing, against vipsthumbnail in as many processes as there are cores. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isInstalled, throughVips } from './other-tools.ts'
import { LONGER_SIDE, median, openProcessing, race, throughService } from './photo-race.ts'
import type { BenchRow } from './row.ts'
import { makeHeics } from './sample-photos.ts'

const PHOTOS = 24
const ROUNDS = 3

export async function benchHeic(): Promise<BenchRow[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mediatray-bench-'))
  const processing = await openProcessing()
  try {
    const photos = await makeHeics(path.join(folder, 'in'), PHOTOS)
    const contenders = new Map([
      ['service', (output: string): Promise<unknown> => throughService(processing, photos, output)],
    ])
    if (isInstalled('vipsthumbnail')) contenders.set('vipsthumbnail', (output) => throughVips(photos, output))
    return rowsFrom(await race({ contenders, folder, rounds: ROUNDS, results: PHOTOS }))
  } finally {
    await processing.close()
    await rm(folder, { recursive: true, force: true })
  }
}

function rowsFrom(seconds: ReadonlyMap<string, number[]>): BenchRow[] {
  const service = median(seconds.get('service') ?? [])
  const theirs = seconds.get('vipsthumbnail')
  const what = `${PHOTOS} HEIC of 12 megapixels to ${LONGER_SIDE} px JPEG: service ${service.toFixed(2)} s`
  if (theirs === undefined) {
    const note = `${what}; vipsthumbnail is not installed, so that there is nothing to compare it with`
    return [
      {
        name: 'heic: each',
        measured: (service / PHOTOS) * 1000,
        unit: 'ms',
        budget: 'none',
        met: true,
        note,
      },
    ]
  }
  const measured = median(theirs) / service
  return [
    {
      name: 'heic: service against vipsthumbnail',
      measured,
      unit: '× throughput',
      budget: '≥ 1.5',
      met: measured >= 1.5,
      note: `${what}, vipsthumbnail ${median(theirs).toFixed(2)} s`,
    },
  ]
}
