import type { Log } from '../../node/log.ts'
import type { Timing } from '../../node/timing.ts'
import type { Connection } from '../connection/index.ts'
import type { DiskWatch } from '../disk/disk.ts'
import type { Downloads } from '../downloads/index.ts'
import type { Drafts } from '../drafts/index.ts'
import type { History } from '../history/index.ts'
import type { Intake } from '../intake/index.ts'
import type { Tracker } from '../jobs/index.ts'
import type { Mounts } from '../mounts/mounts.ts'
import type { Outbox, Sender } from '../outbox/index.ts'
import type { Aliases } from '../aliases/index.ts'
import type { Settings } from '../settings/settings.ts'
import type { CoreEvents, Events } from './events.ts'

/** The modules that the core connects. Each file in this folder picks those that it uses. */
export type Modules = {
  readonly settings: Settings
  readonly connection: Connection
  readonly outbox: Outbox
  readonly history: History
  readonly drafts: Drafts
  readonly aliases: Aliases
  readonly intake: Intake
  readonly disk: DiskWatch
  readonly mounts: Mounts
  readonly downloads: Downloads
  readonly tracker: Tracker
  readonly sender: Sender
  readonly events: Events<CoreEvents>
  readonly timing: Timing
  readonly log: Log
}
