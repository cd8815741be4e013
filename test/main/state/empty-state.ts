import { NO_FACTS } from '../../../src/shared/model/draft.ts'
import type { AppState } from '../../../src/shared/model/app-state.ts'
import { DEFAULT_SETTINGS } from '../../default-settings.ts'
import { draftOfFiles } from '../outbox/drafts.ts'

/** The state of a newly installed app without any jobs. */
export const emptyState: AppState = {
  services: [],
  connection: {
    kind: null,
    baseUrl: DEFAULT_SETTINGS.baseUrl,
    address: '127.0.0.1:3847',
    state: { status: 'unconfigured' },
    key: 'none',
    keychainTrouble: null,
    seesFiles: true,
    presets: null,
    drive: null,
  },
  jobs: [],
  queue: null,
  outbox: [],
  endedParts: [],
  quiet: { wait: null, abilities: { battery: 'unknown', idle: true } },
  draft: draftOfFiles([], {
    presets: [],
    done: 'skip',
    output: { kind: 'folder', path: '/home/ada/Pictures/Mediatray' },
  }),
  draftFacts: NO_FACTS,
  doneFiles: null,
  intake: null,
  estimate: null,
  foreseen: null,
  contents: [],
  estimateWith: null,
  unseen: 0,
  lastProblem: null,
  lastResult: null,
  historyVersion: 0,
  notices: [],
  update: { status: 'idle' },
  ending: null,
  settings: DEFAULT_SETTINGS,
}
