import { describe, expect, it, vi } from 'vitest'
import type { SizedFile } from '../../../src/main/forecast/choose-samples.ts'
import { createForecaster, type ForecastSubject } from '../../../src/main/forecast/forecaster.ts'
import type { Measured } from '../../../src/main/forecast/extrapolate.ts'
import type { Forecast } from '../../../src/shared/model/forecast.ts'

const photo = (name: string, size = 1_000): SizedFile => ({ path: `/in/${name}`, kind: 'image', size })
const film = (name: string, size = 1_000): SizedFile => ({ path: `/in/${name}`, kind: 'video', size })
const photos = (count: number) =>
  Array.from({ length: count }, (_, index) => photo(`${index}.jpg`, 500 + index))

const subjectOf = (files: readonly SizedFile[], change: Partial<ForecastSubject> = {}): ForecastSubject => ({
  files,
  key: 'web',
  variations: 1,
  maxBytes: {},
  ...change,
})

type Outcome = Measured | null | 'broken'

/** Files come to what the test says, half of their size if it says nothing. */
function begin(subject: ForecastSubject | undefined, outcomes: Readonly<Record<string, Outcome>> = {}) {
  const now = { subject, held: undefined as Promise<void> | undefined }
  const tried: string[] = []
  const stopped: string[] = []
  const told: (Forecast | null)[] = []
  const forecaster = createForecaster({
    subject: () => now.subject,
    async tryFile({ path, size }, _, signal) {
      tried.push(path.slice(4))
      const aborted = new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          stopped.push(path.slice(4))
          reject(new Error('stopped'))
        })
      })
      if (now.held !== undefined) await Promise.race([now.held, aborted])
      const outcome = outcomes[path.slice(4)]
      if (outcome === 'broken') throw new Error('the worker broke')
      return outcome === undefined ? { bytes: size / 2, milliseconds: 100 } : outcome
    },
    parallelism: (kind) => (kind === 'image' ? 2 : 1),
    onChange: (forecast) => told.push(forecast),
    log: () => {},
  })
  return { now, tried, stopped, told, forecaster }
}

function known(forecast: Forecast | null) {
  if (forecast?.kind !== 'known') throw new Error(`Nothing is known: ${JSON.stringify(forecast)}`)
  return forecast
}

describe('a forecast', () => {
  it('costs nothing until somebody looks', async () => {
    const { forecaster, tried, told } = begin(subjectOf(photos(3)))
    forecaster.refresh()
    await forecaster.settled()
    expect([tried, told]).toEqual([[], []])
    expect(forecaster.now()).toEqual({ kind: 'unknown', why: 'counting' })
  })

  it('of nothing is none', async () => {
    const { forecaster, told } = begin(undefined)
    forecaster.look(true)
    await forecaster.settled()
    expect([forecaster.now(), told]).toEqual([null, []])
  })

  it('tries no more than is needed, and says what it knows after each', async () => {
    const { forecaster, tried, told } = begin(subjectOf(photos(100)))
    forecaster.look(true)
    await forecaster.settled()
    // Results that are all half of their originals leave no doubt after three.
    expect(tried.length).toBeGreaterThanOrEqual(3)
    expect(tried.length).toBeLessThan(12)
    expect(told[0]).toEqual({ kind: 'unknown', why: 'counting' })
    const last = told.at(-1)
    expect(last).toMatchObject({ kind: 'known', inputBytes: 54_950, isGrowing: false, atMostBytes: null })
    expect(last?.kind === 'known' && last.bytes.likely).toBeCloseTo(27_475, 0)
    // Two at a time, each a tenth slower than alone.
    expect(last?.kind === 'known' && last.milliseconds?.likely).toBeCloseTo(5_500, 0)
  })

  it('counts every variation', async () => {
    const { forecaster } = begin(subjectOf(photos(1), { variations: 10 }))
    forecaster.look(true)
    await forecaster.settled()
    expect(forecaster.now()).toMatchObject({ bytes: { likely: 2_500 }, milliseconds: { likely: 550 } })
  })

  it('of one photo takes its whole time, of three that of two', async () => {
    for (const [count, likely] of [
      [1, 100],
      [3, 220],
    ] as const) {
      const { forecaster } = begin(subjectOf(photos(count)))
      forecaster.look(true)
      await forecaster.settled()
      expect(known(forecaster.now()).milliseconds?.likely).toBeCloseTo(likely)
    }
  })

  it('counts the start of the processes once, however many files there are', async () => {
    const started = { bytes: 250, milliseconds: 100, startMs: 300 }
    const outcomes = Object.fromEntries(photos(20).map(({ path }) => [path.slice(4), started]))
    const { forecaster } = begin(subjectOf(photos(20)), outcomes)
    forecaster.look(true)
    await forecaster.settled()
    const { milliseconds } = known(forecaster.now())
    expect(milliseconds?.likely).toBeCloseTo(1_100 + 300)
    // The first job of a service waits longer.
    expect(milliseconds?.high).toBeGreaterThan(1_100 + 3 * 300)
  })

  it('never says more than a size that was asked for', async () => {
    const { forecaster } = begin(subjectOf(photos(100), { maxBytes: { image: 200 } }), {})
    forecaster.look(true)
    await forecaster.settled()
    expect(forecaster.now()).toMatchObject({ atMostBytes: 20_000, bytes: { high: 20_000 } })
  })

  it('of photos and videos waits for one of each, and takes their times one after the other', async () => {
    const { forecaster, tried, told } = begin(subjectOf([...photos(2), film('a.mp4', 2_000)]))
    forecaster.look(true)
    await forecaster.settled()
    expect(tried.slice(0, 2)).toEqual(['1.jpg', 'a.mp4'])
    expect(told[1]).toMatchObject({ kind: 'known' })
    expect(forecaster.now()).toMatchObject({ milliseconds: { likely: 210 }, atMostBytes: null })
  })

  it('leaves out what can’t be processed, and says so where nothing can', async () => {
    const some = begin(subjectOf([photo('a.jpg'), photo('b.jpg')]), { 'a.jpg': null })
    some.forecaster.look(true)
    await some.forecaster.settled()
    expect(some.forecaster.now()).toMatchObject({ bytes: { low: 500, likely: 500, high: 500 } })
    const none = begin(subjectOf([photo('a.jpg')]), { 'a.jpg': 'broken' })
    none.forecaster.look(true)
    await none.forecaster.settled()
    expect(none.forecaster.now()).toEqual({ kind: 'unknown', why: 'notProcessable' })
  })

  it('tries more where a dozen leave the size in doubt', async () => {
    const outcomes = Object.fromEntries(
      photos(30).map(({ path }, index) => [
        path.slice(4),
        { bytes: 100 + ((index * 7) % 11) * 60, milliseconds: 100 },
      ]),
    )
    const { forecaster, tried } = begin(subjectOf(photos(30)), outcomes)
    forecaster.look(true)
    await forecaster.settled()
    expect(tried.length).toBeGreaterThan(12)
    expect(tried.length).toBeLessThanOrEqual(20)
    const { bytes } = known(forecaster.now())
    expect((bytes.high - bytes.low) / 2 / bytes.likely).toBeLessThanOrEqual(0.2)
  })

  it('does not say what is as good as nothing', async () => {
    const outcomes = Object.fromEntries(
      photos(100).map(({ path }, index) => [
        path.slice(4),
        { bytes: index % 6 === 0 ? 1_000_000 : 1, milliseconds: 1 },
      ]),
    )
    const { forecaster, tried } = begin(subjectOf(photos(100)), outcomes)
    forecaster.look(true)
    await forecaster.settled()
    expect([tried.length, forecaster.now()]).toEqual([12, { kind: 'unknown', why: 'tooDifferent' }])
  })
})

describe('when something changes', () => {
  it('what was tried for another preset is stopped and forgotten', async () => {
    const { forecaster, now, tried, stopped } = begin(subjectOf(photos(1)))
    const held = Promise.withResolvers<void>()
    now.held = held.promise
    forecaster.look(true)
    await vi.waitFor(() => expect(tried).toEqual(['0.jpg']))
    now.subject = subjectOf(photos(1), { key: 'small' })
    forecaster.refresh()
    expect(stopped).toEqual(['0.jpg'])
    held.resolve()
    await forecaster.settled()
    expect(tried).toEqual(['0.jpg', '0.jpg'])
    expect(forecaster.now()).toMatchObject({ kind: 'known' })
  })

  it('files that come later are counted with what is known, and tried where that helps', async () => {
    const { forecaster, now, tried } = begin(subjectOf(photos(1)))
    forecaster.look(true)
    await forecaster.settled()
    now.subject = subjectOf([...photos(1), photo('b.png')])
    forecaster.refresh()
    await forecaster.settled()
    expect(tried).toEqual(['0.jpg', 'b.png'])
    expect(forecaster.now()).toMatchObject({ bytes: { likely: 750 } })
  })

  it('nobody looks any more, it stops in the middle, and goes on when somebody does again', async () => {
    const { forecaster, now, tried, stopped } = begin(subjectOf(photos(1)))
    const held = Promise.withResolvers<void>()
    now.held = held.promise
    forecaster.look(true)
    await vi.waitFor(() => expect(tried).toHaveLength(1))
    forecaster.look(false)
    await forecaster.settled()
    expect([stopped, forecaster.now()]).toEqual([['0.jpg'], { kind: 'unknown', why: 'counting' }])
    now.held = undefined
    forecaster.look(true)
    await forecaster.settled()
    expect(forecaster.now()).toMatchObject({ kind: 'known' })
  })

  it('it is closed, nothing is tried any more', async () => {
    const { forecaster, tried } = begin(subjectOf(photos(3)))
    forecaster.close()
    forecaster.look(true)
    await forecaster.settled()
    expect(tried).toEqual([])
  })

  it('the same is not told twice', async () => {
    const { forecaster, told } = begin(subjectOf(photos(1)))
    forecaster.look(true)
    await forecaster.settled()
    const times = told.length
    forecaster.refresh()
    forecaster.look(true)
    await forecaster.settled()
    expect(told).toHaveLength(times)
  })
})
