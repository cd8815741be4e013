import { describe, expect, it } from 'vitest'
import { withOwnNames } from '../../../src/main/aliases/index.ts'

const names = [
  { path: '/photos/a.tif', as: '/data/staged/x/a.tiff' },
  { path: '/photos/b', as: '/data/staged/x/b.jpg' },
]

describe('a service’s answer', () => {
  it('names the user’s own files, whether the service reports paths or names', () => {
    const job = {
      fileName: 'a.tiff',
      progress: { fileName: 'b.jpg' },
      results: [
        { file: '/data/staged/x/a.tiff', outputPath: '/out/a.tiff' },
        { file: 'b.jpg', outputPath: '/out/b.jpg' },
      ],
    }
    expect(withOwnNames(job, names)).toEqual({
      fileName: 'a.tif',
      progress: { fileName: 'b' },
      results: [
        { file: '/photos/a.tif', outputPath: '/out/a.tiff' },
        { file: 'b', outputPath: '/out/b.jpg' },
      ],
    })
  })

  it('names them in messages and failures too', () => {
    const error = {
      file: '/data/staged/x/b.jpg',
      error: 'Couldn’t read /data/staged/x/b.jpg.',
      failure: { code: 'localUnreadable', values: { path: '/data/staged/x/b.jpg' } },
    }
    expect(withOwnNames(error, names)).toEqual({
      file: '/photos/b',
      error: 'Couldn’t read /photos/b.',
      failure: { code: 'localUnreadable', values: { path: '/photos/b' } },
    })
  })

  it('keeps a name that could also mean another input', () => {
    expect(withOwnNames({ file: 'a.tiff' }, names, ['/photos/a.tif', '/other/a.tiff'])).toEqual({
      file: 'a.tiff',
    })
    const twice = [...names, { path: '/more/a.tif', as: '/data/staged/x/2/a.tiff' }]
    expect(withOwnNames({ file: 'a.tiff' }, twice)).toEqual({ file: 'a.tiff' })
    expect(withOwnNames({ file: '/data/staged/x/2/a.tiff' }, twice)).toEqual({ file: '/more/a.tif' })
  })

  it('is the same object if no input was renamed', () => {
    const job = { fileName: 'a.tiff' }
    expect(withOwnNames(job, [])).toBe(job)
  })
})
