import { describe, expect, it } from 'vitest'
import { outputFoldersIn } from '../../../src/main/core/project-state.ts'
import type { AppState } from '../../../src/shared/model/app-state.ts'
import { running, title, waiting } from '../../part-samples.ts'
import { emptyState } from '../state/empty-state.ts'

const photo = title('a.jpg', 1)

describe('the output folders', () => {
  const drive = { ...title('b.jpg', 1), output: { kind: 'drive', folderId: 'x' } } as const
  const foreign = { ...title('c.jpg', 1), output: null }
  const elsewhere = { ...title('d.jpg', 1), output: { kind: 'folder', path: '/media/ssd' } } as const
  const state: AppState = {
    ...emptyState,
    jobs: [running(photo, 0.5), running(drive, 0.5), running(foreign, 0.5)],
    outbox: [waiting(elsewhere)],
  }

  it('include the folders of jobs and of outbox entries', () => {
    expect(outputFoldersIn(state)).toEqual(['/home/ada/Pictures/Web', '/media/ssd'])
  })

  it('are omitted if the service can’t access this computer’s files', () => {
    expect(outputFoldersIn({ ...state, connection: { ...state.connection, seesFiles: false } })).toEqual([])
  })
})
