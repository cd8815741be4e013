import { expect, it } from 'vitest'
import {
  fitsTheLimit,
  folderBeside,
  jobRequestOf,
  pathBytes,
  requestBytes,
} from '../../../src/main/outbox/job-request.ts'
import { MAX_JSON_BYTES } from '../../../src/shared/api/limits.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { planOfFiles } from './drafts.ts'

const plan = planOfFiles(['/in/a.jpg'])

it('one file is sent as a single job, and several files or none as a set', () => {
  const common = { outputFolder: '/out', preset: 'Web 2048' }
  expect(jobRequestOf(plan, ['/a'])).toEqual({ ...common, filePath: '/a' })
  expect(jobRequestOf(plan, ['/a', '/b'])).toEqual({ ...common, files: ['/a', '/b'] })
  expect(jobRequestOf(plan, [])).toEqual({ ...common, files: [] })
})

it('a request contains only fields that differ from the service’s defaults', () => {
  expect(jobRequestOf({ ...plan, preset: null }, ['/a'])).toEqual({ filePath: '/a', outputFolder: '/out' })
  expect(jobRequestOf({ ...plan, variations: 2 }, ['/a'], '/there')).toEqual({
    filePath: '/a',
    outputFolder: '/there',
    preset: 'Web 2048',
    batchCount: 2,
  })
  const output = { kind: 'drive', folderId: 'f' } as const
  expect(jobRequestOf({ ...plan, driveInput: 'd', output }, [])).toEqual({
    driveInputFolder: 'd',
    driveOutputFolder: 'f',
    preset: 'Web 2048',
  })
})

it('a request’s length is counted in bytes, and may be exactly at the limit', () => {
  const of = (path: string) => jobRequestOf(plan, [path])
  expect(requestBytes(of('ö'))).toBe(requestBytes(of('o')) + 1)
  const room = MAX_JSON_BYTES - requestBytes(of(''))
  expect([fitsTheLimit(of('x'.repeat(room))), fitsTheLimit(of('x'.repeat(room + 1)))]).toEqual([true, false])
  const two = requestBytes(jobRequestOf(plan, ['/a', '/b']))
  expect(requestBytes(jobRequestOf(plan, ['/a', '/b', '/ö"']))).toBe(two + pathBytes('/ö"'))
})

it('a folder next to an upload has the path syntax of the service’s computer', () => {
  const id = asRecordId('r1')
  expect(folderBeside('/up/a.jpg', id)).toBe('/up/mediatray-r1')
  expect(folderBeside('C:\\up\\a.jpg', id)).toBe('C:\\up\\mediatray-r1')
  expect(folderBeside('\\\\nas\\share\\up\\a.jpg', id)).toBe('\\\\nas\\share\\up\\mediatray-r1')
})
