import type { Log } from '../../node/log.ts'
import type { Timing } from '../../node/timing.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Connection } from '../connection/index.ts'
import type { DiskWatch } from '../disk/disk.ts'
import type { Downloads } from '../downloads/index.ts'
import type { Drafts } from '../drafts/index.ts'
import type { History } from '../history/index.ts'
import type { Intake } from '../intake/index.ts'
import type { Tracker } from '../jobs/index.ts'
import type { Mounts } from '../mounts/mounts.ts'
import type { Outbox, Sender } from '../outbox/index.ts'
import type { Staging } from '../staging/index.ts'
import type { Settings } from '../settings/settings.ts'
import type { CoreEvents, Events } from './events.ts'

/** What the core connects. Each file here picks the modules that it uses. */
export type Modules = {
  readonly settings: Settings
  readonly connection: Connection
  readonly outbox: Outbox
  readonly history: History
  readonly drafts: Drafts
  readonly staging: Staging
  readonly intake: Intake
  readonly disk: DiskWatch
  readonly mounts: Mounts
  readonly downloads: Downloads
  readonly tracker: Tracker
  readonly sender: Sender
  readonly events: Events<CoreEvents>
  /** Whether this process holds the right to send and download. Acquires it if it is free. */
  readonly claim: () => boolean
  readonly timing: Timing
  readonly log: Log
}

/** The role of this process if several share the same files. */
export type Role = {
  /** Whether this process may send and download, which only one process at a time does. If false, it only reads. */
  readonly sends: boolean
  /** Whether to keep jobs of other clients in the history. If false, they are only tracked. */
  readonly keepsForeign: boolean
  /**
   * Whether to send submissions that aren't addressed to a specific service. If false, sends only those addressed to the service in
   * use.
   */
  readonly takesUnaddressed: boolean
  /** Whether this process may use the space that is kept for when the disk with the data is full. */
  readonly usesReserve: boolean
  /** The submissions to send, for a command whose built-in service ends with it; absent to send all. The set may grow. */
  readonly only?: Set<RecordId>
}
