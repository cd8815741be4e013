import { describe, expect, it } from 'vitest'
import { decodeLaunch, encodeLaunch, readLaunch } from '../../../src/main/desktop/launch-arguments.ts'

describe('what a start is asked to do', () => {
  it('takes paths, makes relative ones absolute and leaves Chromium’s switches alone', () => {
    const launch = readLaunch(
      ['--no-sandbox', 'a photo.jpg', '/x/b.mp4', '--allow-file-access=1'],
      '/home/ada',
    )
    expect(launch).toEqual({ paths: ['/home/ada/a photo.jpg', '/x/b.mp4'], links: [], hidden: false })
  })

  it('takes everything behind -- as a path, also when it begins with a dash', () => {
    expect(readLaunch(['--hidden', '--', '--odd.jpg'], '/d')).toEqual({
      paths: ['/d/--odd.jpg'],
      links: [],
      hidden: true,
    })
  })

  it('tells links from files', () => {
    expect(readLaunch(['mediatray://job/r_1', 'file:///a.jpg'], '/d')).toEqual({
      paths: ['file:///a.jpg'],
      links: ['mediatray://job/r_1'],
      hidden: false,
    })
  })

  it('survives the way to the first instance, and refuses what is not from us', () => {
    const launch = { paths: ['/a "b".jpg'], links: [], hidden: false }
    expect(decodeLaunch(encodeLaunch(launch))).toEqual(launch)
    for (const foreign of [
      undefined,
      null,
      {},
      { launch: 3 },
      { launch: '{' },
      { launch: '{"paths":[1]}' },
    ]) {
      expect(decodeLaunch(foreign)).toBeUndefined()
    }
  })
})
